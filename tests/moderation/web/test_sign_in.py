"""Signing in: throttled for names and addresses, telling nobody who works here; sessions that end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from moderation.models import User
from moderation.operations import users

RIGHT = "right-and-long-enough"
Desk = Callable[[User], Client]


@pytest.fixture
def person(db: None) -> User:
    return User.objects.create_user("moderator", password=RIGHT)


def attempt(
    client: Client, *, name: str = "moderator", password: str = "guess", ip: str = "192.0.2.1"
) -> Any:
    return client.post("/sign-in/", {"username": name, "password": password}, REMOTE_ADDR=ip)


class TestThrottle:
    def test_closes_for_a_name_from_an_address_after_five(self, client: Client, person: User) -> None:
        answers = [attempt(client) for _ in range(6)]

        assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 429, 429]
        assert "correct username and password" in answers[0].content.decode()
        assert "quarter of an hour" in answers[-1].content.decode()
        assert attempt(client, password=RIGHT).status_code == 429

    def test_stays_open_for_the_owner_elsewhere(self, client: Client, person: User) -> None:
        for _ in range(6):
            attempt(client)

        assert attempt(client, password=RIGHT, ip="198.51.100.9").status_code == 302

    def test_closes_for_an_address_that_tries_many_names(self, client: Client, person: User) -> None:
        statuses = [attempt(client, name=f"name{number}").status_code for number in range(21)]

        assert statuses[0] == 200
        assert statuses[-1] == 429
        assert attempt(client, password=RIGHT).status_code == 429

    def test_closes_for_a_name_that_many_addresses_try(self, client: Client, person: User) -> None:
        statuses = [attempt(client, ip=f"192.0.2.{number}").status_code for number in range(1, 22)]

        assert statuses[0] == 200
        assert statuses[-1] == 429

    def test_one_account_of_ones_own_does_not_clear_the_address(self, client: Client, person: User) -> None:
        for number in range(18):
            attempt(client, name=f"name{number}")
        attempt(client, password=RIGHT)
        client.post("/sign-out/")

        statuses = {attempt(client, name=f"other{number}").status_code for number in range(3)}

        assert 429 in statuses

    def test_says_the_same_of_a_name_that_nobody_has(self, client: Client, person: User) -> None:
        known = [attempt(client, ip="192.0.2.1") for _ in range(6)]
        unknown = [attempt(client, name="nobodyhere", ip="192.0.2.2") for _ in range(6)]

        def said(answers: list[Any]) -> list[tuple[int, list[str]]]:
            return [(answer.status_code, errors(answer)) for answer in answers]

        assert said(known) == said(unknown)

    def test_says_the_same_of_a_closed_account(self, client: Client, person: User) -> None:
        wrong = errors(attempt(client))
        User.objects.update(is_active=False)

        assert errors(attempt(client, password=RIGHT)) == wrong != []


def errors(answer: Any) -> list[str]:
    return list(answer.context["form"].non_field_errors()) if answer.status_code == 200 else []


class TestSignIn:
    def test_never_redirects_elsewhere(self, client: Client, person: User) -> None:
        form = {"username": "moderator", "password": RIGHT, "next": "https://evil.example/"}

        assert client.post("/sign-in/", form).headers["Location"] == "/"

    def test_refuses_the_demonstrations_password_in_production(
        self, client: Client, db: None, settings: Any
    ) -> None:
        User.objects.create_user("lead", password="demo")
        assert attempt(client, name="lead", password="demo").status_code == 302
        client.post("/sign-out/")
        settings.IS_PRODUCTION = True
        settings.SECURE_SSL_REDIRECT = False

        assert (
            "correct username and password" in attempt(client, name="lead", password="demo").content.decode()
        )


class TestSessions:
    NEW = "quite-another-phrase-7"

    def change(self, desk: Client, old: str = RIGHT, new: str = NEW) -> Any:
        return desk.post(
            "/account/password/", {"old_password": old, "new_password1": new, "new_password2": new}
        )

    def test_end_elsewhere_when_the_password_changes(self, person: User, desk_of: Desk) -> None:
        here, elsewhere = desk_of(person), desk_of(person)

        assert self.change(here).status_code == 302

        assert here.get("/account/").status_code == 200
        assert elsewhere.get("/account/").headers["Location"].startswith("/sign-in/")

    def test_end_when_an_administrator_resets_it(
        self, person: User, desk_of: Desk, lead: User, at: Any
    ) -> None:
        desk = desk_of(person)

        users.reset_password(user_id=person.pk, actor=lead, at=at)

        assert desk.get("/account/").status_code == 302

    def test_end_when_the_account_is_closed(self, person: User, desk_of: Desk, lead: User, at: Any) -> None:
        desk = desk_of(person)

        users.deactivate(user_id=person.pk, actor=lead, at=at)

        assert desk.get("/account/").status_code == 302

    @pytest.mark.parametrize(
        ("old", "new"), [("wrong", NEW), (RIGHT, "short"), (RIGHT, "password1234"), (RIGHT, "moderator1234")]
    )
    def test_go_on_when_the_change_is_refused(self, person: User, desk_of: Desk, old: str, new: str) -> None:
        desk = desk_of(person)

        assert self.change(desk, old, new).status_code == 422
        assert User.objects.get().check_password(RIGHT)

    def test_see_only_the_account_until_a_given_password_is_changed(
        self, person: User, desk_of: Desk
    ) -> None:
        User.objects.update(must_change_password=True)
        desk = desk_of(person)

        assert desk.get("/queue/").headers["Location"] == "/account/"
        assert "Choose your own" in desk.get("/account/").content.decode()
        self.change(desk)
        assert desk.get("/queue/").status_code == 200
