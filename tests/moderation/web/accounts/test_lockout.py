"""Signing in is throttled for names and addresses, and tells nobody who works here."""

from __future__ import annotations

import re
from typing import Any

from axes.models import AccessAttempt
from django.test import Client

from moderation.models import User
from tests.moderation.web.accounts.attempts import RIGHT, attack, attempt, pass_time


class TestDelays:
    def test_grow_for_a_name_from_an_address_after_five(self, client: Client, person: User) -> None:
        answers = [attempt(client) for _ in range(6)]

        assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 429, 429]
        assert "Name and password do not match" in answers[0].content.decode()
        assert 1 <= int(answers[-1].headers["Retry-After"]) <= 15
        assert f"{answers[-1].headers['Retry-After']} seconds" in answers[-1].content.decode()
        waits = []
        for _ in range(9):
            pass_time(901)
            waits.append(int(attempt(client).headers["Retry-After"]))
        assert waits == [30, 60, 120, 240, 480, 900, 900, 900, 900]

    def test_let_the_right_password_in_when_they_are_over(self, client: Client, person: User) -> None:
        for _ in range(6):
            attempt(client)

        assert attempt(client, password=RIGHT).status_code == 429
        pass_time(16)
        assert attempt(client, password=RIGHT).status_code == 302

    def test_are_not_drawn_out_by_knocking(self, client: Client, person: User) -> None:
        for _ in range(5):
            attempt(client)
        pass_time(10)

        statuses = {attempt(client).status_code for _ in range(30)}

        assert statuses == {429}
        pass_time(6)
        assert attempt(client, password=RIGHT).status_code == 302

    def test_of_an_address_that_tries_many_names_are_short(self, client: Client, person: User) -> None:
        statuses = [attempt(client, name=f"name{number}").status_code for number in range(21)]

        assert (statuses[0], statuses[18], statuses[-1]) == (200, 200, 429)
        assert attempt(client, password=RIGHT).status_code == 429
        pass_time(61)
        assert attempt(client, password=RIGHT).status_code == 302

    def test_of_a_name_that_many_addresses_try_are_short(self, client: Client, person: User) -> None:
        attack()

        held_up = attempt(client, password=RIGHT)
        assert held_up.status_code == 429
        assert int(held_up.headers["Retry-After"]) <= 60
        pass_time(61)
        assert attempt(client, password=RIGHT).status_code == 302

    def test_of_one_address_leave_the_owner_elsewhere_alone(self, client: Client, person: User) -> None:
        for _ in range(6):
            attempt(client)

        assert attempt(client, password=RIGHT, ip="198.51.100.9").status_code == 302

    def test_hold_for_a_whole_ipv6_network(self, client: Client, person: User) -> None:
        statuses = [attempt(client, ip=f"2001:db8::{number}").status_code for number in range(1, 7)]

        assert statuses[-1] == 429

    def test_do_not_outlast_a_clock_that_was_set_back(self, client: Client, person: User) -> None:
        for _ in range(6):
            attempt(client)
        pass_time(-3600)

        assert attempt(client, password=RIGHT).status_code == 302

    def test_one_account_of_ones_own_does_not_clear_the_address(self, client: Client, person: User) -> None:
        for number in range(18):
            attempt(client, name=f"name{number}")
        attempt(client, password=RIGHT)
        client.post("/sign-out/")

        statuses = {attempt(Client(), name=f"other{number}").status_code for number in range(3)}

        assert 429 in statuses

    def test_keep_no_password_and_little_of_a_long_attack(self, client: Client, person: User) -> None:
        for _ in range(20):
            attempt(client, password="a-secret-guess")
            pass_time(901)

        [row] = AccessAttempt.objects.all()
        assert (row.post_data, row.get_data, row.failures_since_start) == ("", "", 20)

    def test_says_the_same_of_a_name_that_nobody_has(self, client: Client, person: User) -> None:
        known = [attempt(client, ip="192.0.2.1") for _ in range(6)]
        unknown = [attempt(client, name="nobodyhere", ip="192.0.2.2") for _ in range(6)]

        def said(answers: list[Any]) -> list[tuple[int, list[str]]]:
            return [(answer.status_code, errors(answer)) for answer in answers]

        assert said(known) == said(unknown)

    def test_says_the_same_of_such_a_name_under_attack(self, client: Client, person: User) -> None:
        attack("moderator")
        attack("nobodyhere")

        answers = [attempt(client, name=name, ip="192.0.2.9") for name in ("moderator", "nobodyhere")]

        assert [answer.status_code for answer in answers] == [429, 429]
        assert len({without_token(answer) for answer in answers}) == 1

    def test_says_the_same_of_a_closed_account(self, client: Client, person: User) -> None:
        wrong = errors(attempt(client))
        User.objects.update(is_active=False)

        assert errors(attempt(client, password=RIGHT)) == wrong != []


def without_token(answer: Any) -> str:
    """The page but for what differs each time: the CSRF token and the seconds left."""
    return re.sub(r'"X-CSRFToken": "\w+"|value="\w{64}"|\d+ seconds?', "", answer.content.decode())


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

        answer = attempt(client, name="lead", password="demo")
        assert "Name and password do not match" in answer.content.decode()
