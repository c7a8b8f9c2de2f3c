"""A known browser and a sign-in link let a user in whose name is under attack, and nobody else."""

from __future__ import annotations

import io
import time
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from moderation.models import AuditEntry, User
from tests.moderation.web.accounts.attempts import RIGHT, attack, attempt


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
