"""A second factor: added, asked for at sign-in, required of roles, lost."""

import re
import time
from io import StringIO
from typing import Any
from unittest.mock import patch

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.management import call_command
from django.test import Client

from moderation.models import AuditEntry, DeskSettings, User, desk_settings
from moderation.models.users import Role
from tests.moderation.web.accounts.attempts import RIGHT, attempt, pass_time
from tests.moderation.web.conftest import HTMX

PAGE, APP, CODES = "/account/second-factor/", "/account/second-factor/app/", "/account/second-factor/codes/"
ASKED = "/sign-in/second-factor/"


def code_of(key: str, *, later: int = 0) -> str:
    """Return what an app with this key shows, so many periods of 30 seconds later."""
    return str(format_hotp_value(hotp_value(key, int(time.time()) // 30 + later)))


@pytest.fixture
def here(person: User, client: Client, transactional_db: None) -> Client:
    attempt(client, password=RIGHT)
    return client


@pytest.fixture
def key(here: Client) -> str:
    """The key of an app that the person has added."""
    key = str(here.get(APP).context["form"].secret)
    assert here.post(APP, {"code": code_of(key)}).headers["Location"] == CODES
    return key


@pytest.fixture
def recovery(here: Client, key: str) -> list[str]:
    return list(here.get(CODES).context["unused_codes"])


def actions() -> list[str]:
    return list(AuditEntry.objects.values_list("action", flat=True))


class TestApp:
    def test_is_asked_for_after_the_password(self, key: str) -> None:
        browser = Client()

        assert attempt(browser, password=RIGHT).headers["Location"] == ASKED
        assert browser.get("/account/").status_code == 302
        assert browser.post(ASKED, {"code": code_of(key)}).headers["Location"] == "/"
        assert "this session" in browser.get("/account/").content.decode()
        assert browser.cookies["device"].value

    def test_keeps_its_key_encrypted(self, key: str, recovery: list[str]) -> None:
        stored = str(list(Authenticator.objects.values_list("data", flat=True)))

        assert key not in stored
        assert not [code for code in recovery if code in stored]

    def test_opens_once_with_each_code(self, key: str) -> None:
        code = code_of(key)
        first, second = Client(), Client()
        for browser in (first, second):
            attempt(browser, password=RIGHT)

        assert first.post(ASKED, {"code": code}).status_code == 302
        answer = second.post(ASKED, {"code": f"{code[:3]} {code[3:]}"})

        assert "used before" in answer.content.decode()
        assert second.post(ASKED, {"code": code_of(key, later=1)}).status_code == 302

    def test_delays_guesses_although_the_password_is_right(self, key: str) -> None:
        browser = Client()
        attempt(browser, password=RIGHT)
        for guess in range(5):
            assert "is wrong" in browser.post(ASKED, {"code": f"00000{guess}"}).content.decode()

        assert "Too many" in browser.post(ASKED, {"code": code_of(key)}).content.decode()
        pass_time(15)
        assert browser.post(ASKED, {"code": code_of(key)}).status_code == 302

        again = Client()  # what went before is forgotten
        attempt(again, password=RIGHT)
        assert "is wrong" in again.post(ASKED, {"code": "000000"}).content.decode()
        assert again.post(ASKED, {"code": code_of(key, later=1)}).status_code == 302

    def test_ends_the_sessions_that_began_without_it(self, here: Client, person: User) -> None:
        other = Client()
        attempt(other, password=RIGHT)
        key = str(here.get(APP).context["form"].secret)
        assert here.post(APP, {"code": "000000"}).status_code == 200
        assert other.get("/account/").status_code == 200

        here.post(APP, {"code": code_of(key)})

        assert other.get("/account/").status_code == 302
        assert here.get("/account/").status_code == 200

    def test_is_removed_with_the_codes_that_came_with_it(self, here: Client, key: str) -> None:
        assert here.post(f"{APP}remove/").headers["Location"] == PAGE

        assert not Authenticator.objects.exists()
        assert attempt(Client(), password=RIGHT).headers["Location"] == "/"
        assert actions().count("user.second_factor_added") == 2
        assert actions().count("user.second_factor_removed") == 2

    @pytest.mark.parametrize("address", [f"{APP}remove/", f"{CODES}new/"])
    def test_is_not_changed_in_a_session_left_open(self, key: str, address: str) -> None:
        browser = Client()
        attempt(browser, password=RIGHT)
        browser.post(ASKED, {"code": code_of(key)})
        with patch(
            "allauth.account.internal.flows.reauthentication.time.time", return_value=time.time() + 301
        ):
            again = browser.post(address).headers["Location"]

        assert again.startswith("/account/password/again/")
        assert browser.post(again, {"password": "wrong"}).status_code == 200
        before = browser.session.session_key
        assert browser.post(again, {"password": RIGHT}).status_code == 302
        assert browser.session.session_key != before
        assert "this session" in browser.get("/account/").content.decode()

    def test_is_not_added_without_a_key_to_encrypt_it(self, here: Client, settings: Any) -> None:
        key = str(here.get(APP).context["form"].secret)
        settings.IS_PRODUCTION, settings.ENCRYPTION_KEYS = True, ()

        answer = here.post(APP, {"code": code_of(key)}, follow=True)

        assert "SPAMDESK_ENCRYPTION_KEYS is not set" in answer.content.decode()
        assert not Authenticator.objects.exists()


class TestRecoveryCodes:
    def test_open_once_each(self, recovery: list[str]) -> None:
        first, second = Client(), Client()
        for browser in (first, second):
            attempt(browser, password=RIGHT)

        assert first.post(ASKED, {"code": recovery[0]}).status_code == 302
        assert second.post(ASKED, {"code": recovery[0]}).status_code == 200
        assert second.post(ASKED, {"code": recovery[1]}).status_code == 302
        assert actions().count("user.recovery_code_used") == 2
        assert "8 codes are left" in second.get(PAGE).content.decode()

    def test_are_shown_once_and_replaced(self, here: Client, recovery: list[str]) -> None:
        assert recovery[0] not in here.get(CODES).content.decode()

        assert here.post(f"{CODES}new/").headers["Location"] == CODES

        new = re.findall(r"\b\d{8}\b", here.get(CODES).content.decode())
        assert len(new) == 10
        assert not set(new) & set(recovery)


@pytest.fixture
def required_of_moderators(here: Client) -> Any:
    DeskSettings.objects.create(second_factor_roles=[Role.MODERATOR])
    desk_settings.forget()
    yield
    desk_settings.forget()


@pytest.mark.usefixtures("required_of_moderators")
class TestRequired:
    def test_leads_to_adding_one_and_nowhere_else(self, here: Client) -> None:
        for address in ("/queue/", "/account/", "/account/preferences/"):
            assert here.get(address).headers["Location"] == PAGE
        assert here.post("/review/next/", headers=HTMX).headers["HX-Redirect"] == PAGE
        assert "Your role needs a second factor" in here.get(PAGE).content.decode()

    def test_lets_on_who_has_one(self, here: Client, key: str) -> None:
        assert here.get("/queue/").status_code == 200

    def test_is_not_of_other_roles(self, lead_desk: Client) -> None:
        assert lead_desk.get("/queue/").status_code == 200


def test_an_administrator_removes_what_somebody_lost(admin_desk: Client, here: Client, person: User) -> None:
    assert "Lost second factor" not in admin_desk.get("/users/").content.decode()
    key = str(here.get(APP).context["form"].secret)
    here.post(APP, {"code": code_of(key)})
    assert "Lost second factor" in admin_desk.get("/users/").content.decode()

    User.objects.filter(pk=person.pk).update(role=Role.ADMIN)
    here.post(f"/users/{person.pk}/second-factor/")
    assert Authenticator.objects.exists()

    admin_desk.post(f"/users/{person.pk}/second-factor/")

    assert not Authenticator.objects.exists()
    assert here.get("/account/").status_code == 302
    assert "user.second_factors_removed" in actions()


@pytest.mark.usefixtures("key")
def test_an_operator_removes_what_the_last_administrator_lost() -> None:
    call_command("sign_in_link", "moderator", remove_second_factors=True, stdout=StringIO())

    assert not Authenticator.objects.exists()
    assert "user.second_factors_removed" in actions()
