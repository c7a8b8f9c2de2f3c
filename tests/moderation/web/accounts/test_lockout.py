"""Signing in is throttled and tells nobody who works here; a known browser or a link still lets one in."""

import io
import re
import time
from typing import Any
from urllib.parse import urlsplit

import pytest
from axes.models import AccessAttempt
from django.core.management import CommandError, call_command
from django.test import Client
from structlog.testing import capture_logs

from moderation.models import AuditEntry, User
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

    @pytest.mark.parametrize(
        ("seconds", "ip"),
        [(16, "192.0.2.1"), (-3600, "192.0.2.1"), (0, "198.51.100.9")],
        ids=["when they are over", "when the clock was set back", "from elsewhere"],
    )
    def test_let_the_right_password_in(self, client: Client, person: User, seconds: int, ip: str) -> None:
        for _ in range(6):
            attempt(client)

        assert attempt(client, password=RIGHT).status_code == 429
        pass_time(seconds)
        assert attempt(client, password=RIGHT, ip=ip).status_code == 302

    def test_are_not_drawn_out_by_knocking(self, client: Client, person: User) -> None:
        for _ in range(5):
            attempt(client)
        pass_time(1)

        statuses = {attempt(client).status_code for _ in range(30)}

        assert statuses == {429}
        pass_time(15)
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

    def test_hold_for_a_whole_ipv6_network(self, client: Client, person: User) -> None:
        statuses = [attempt(client, ip=f"2001:db8::{number}").status_code for number in range(1, 7)]

        assert statuses[-1] == 429

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

    def test_logs_the_account_and_never_what_was_typed(self, client: Client, person: User) -> None:
        with capture_logs() as logged:
            attempt(client, name="moderator")
            attempt(client, name="my secret password")

        told = [line["user"] for line in logged if line["event"] == "sign_in_failed"]
        assert told == [person.pk, None]
        assert "my secret password" not in str(logged)


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


class TestKnownDevice:
    """What others do never keeps a browser out that its user signed in with before."""

    @pytest.fixture
    def known(self, person: User) -> Client:
        browser = Client()
        attempt(browser, password=RIGHT, ip="192.0.2.1")
        browser.post("/sign-out/")
        return browser

    def test_is_let_in_while_the_name_is_attacked(self, known: Client) -> None:
        attack()

        assert attempt(Client(), password=RIGHT, ip="192.0.2.77").status_code == 429
        assert attempt(known, password=RIGHT).status_code == 302

    def test_is_let_in_from_an_office_where_somebody_guesses(self, known: Client) -> None:
        for number in range(30):
            attempt(Client(), name=f"name{number}")
        for _ in range(6):
            attempt(Client())

        assert attempt(Client(), password=RIGHT).status_code == 429
        assert attempt(known, password=RIGHT).status_code == 302

    def test_is_held_up_by_its_own_guesses_alone(self, known: Client) -> None:
        statuses = [attempt(known, ip=f"192.0.2.{number}").status_code for number in range(1, 7)]

        assert statuses == [200, 200, 200, 200, 429, 429]
        assert attempt(Client(), password=RIGHT).status_code == 302

    def test_gains_nothing_for_another_name(self, known: Client) -> None:
        User.objects.create_user("lead", password=RIGHT)
        attack("lead")

        assert attempt(known, name="lead", password=RIGHT).status_code == 429

    def test_opens_nothing_by_itself(self, known: Client) -> None:
        known.cookies.pop("sessionid", None)

        assert known.get("/queue/").status_code == 302
        assert attempt(known).status_code == 200

    def test_is_another_one_after_each_sign_in(self, known: Client) -> None:
        before = known.cookies["device"].value

        attempt(known, password=RIGHT)

        assert known.cookies["device"].value != before

    def test_is_unknown_after_a_new_password(self, known: Client, person: User) -> None:
        person.set_password("another-long-phrase")
        person.save()
        attack()

        assert attempt(known, password="another-long-phrase").status_code == 429

    @pytest.mark.parametrize("forged", ["", "x", "eyJ1c2VyIjoxfQ:1:1", "a" * 10_000])
    def test_cannot_be_forged(self, client: Client, person: User, forged: str) -> None:
        attack()
        client.cookies["device"] = forged

        assert attempt(client, password=RIGHT, ip="192.0.2.77").status_code == 429


class TestLink:
    def link(self, name: str = "moderator") -> str:
        said = io.StringIO()
        call_command("sign_in_link", name, stdout=said)
        return urlsplit(said.getvalue().strip()).path

    def test_lets_a_new_browser_sign_in_under_attack(self, client: Client, person: User) -> None:
        attack()
        link = self.link()
        assert "Sign in with this browser" in client.get(link).content.decode()
        assert attempt(client, password=RIGHT).status_code == 429  # looking at it does nothing

        assert client.post(link).headers["Location"] == "/sign-in/"

        assert attempt(client, password=RIGHT).status_code == 302
        actions = AuditEntry.objects.values_list("action", flat=True)
        assert {"user.device_link_made", "user.device_link_used"} <= set(actions)

    def test_asks_for_the_password_all_the_same(self, client: Client, person: User) -> None:
        client.post(self.link())

        assert attempt(client).status_code == 200
        assert client.get("/queue/").status_code == 302

    def test_works_once(self, person: User) -> None:
        link = self.link()

        assert [Client().post(link).status_code for _ in range(2)] == [302, 410]

    @pytest.mark.parametrize("token", ["x", "a:b:c", "%00"])
    def test_cannot_be_made_up(self, client: Client, db: None, token: str) -> None:
        answer = client.post(f"/sign-in/device/{token}/")

        assert answer.status_code == 410
        assert "device" not in answer.cookies

    def test_ends_after_a_quarter_of_an_hour(self, person: User, monkeypatch: pytest.MonkeyPatch) -> None:
        link = self.link()
        now = time.time()
        monkeypatch.setattr("django.core.signing.time.time", lambda: now + 901)

        assert Client().post(link).status_code == 410

    def test_is_made_for_people_who_are_here(self, db: None) -> None:
        with pytest.raises(CommandError, match="no active account"):
            self.link("nobodyhere")
