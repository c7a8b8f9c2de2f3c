"""A user's own account: password and sessions, those that an administrator ends, and accounts of a demo."""

import re
from typing import Any

import pytest
from django.test import Client

from moderation.models import AuditEntry, User
from tests.moderation.web.accounts.attempts import RIGHT, attempt
from tests.moderation.web.conftest import DeskOf, flat

PAGES = ["/account/", "/account/preferences/", "/account/pace/"]


class TestSessions:
    NEW = "quite-another-phrase-7"

    def change(self, desk: Client, old: str = RIGHT, new: str = NEW) -> Any:
        form = {"old_password": old, "new_password1": new, "new_password2": new}
        return desk.post("/account/password/", form)

    @pytest.mark.parametrize(
        ("old", "new"),
        [("wrong", NEW), (RIGHT, "short"), (RIGHT, "password1234"), (RIGHT, "moderator1234"), (RIGHT, RIGHT)],
    )
    def test_go_on_when_a_change_is_refused(self, person: User, desk_of: DeskOf, old: str, new: str) -> None:
        desk = desk_of(person)

        assert self.change(desk, old, new).status_code == 422
        assert User.objects.get().check_password(RIGHT)

    def test_see_only_the_account_until_given_passwords_change(self, person: User, desk_of: DeskOf) -> None:
        User.objects.update(must_change_password=True)
        desk = desk_of(person)

        assert desk.get("/queue/").headers["Location"] == "/account/"
        assert "Choose your own" in desk.get("/account/").content.decode()
        self.change(desk)
        assert desk.get("/queue/").status_code == 200


class TestAccount:
    @pytest.mark.parametrize("page", PAGES)
    def test_is_one_of_three_pages_that_lead_to_one_another(self, desk: Client, page: str) -> None:
        html = flat(desk.get(page).content.decode())

        nav = html.partition('aria-label="Your settings"')[2].partition("</nav>")[0]
        assert [href for href in PAGES if f'"{href}"' not in nav] == []
        assert f'aria-current="page" href="{page}"' in nav

    def test_ignores_a_forged_cookie(self, desk: Client) -> None:
        desk.cookies["theme"] = '"><script>'

        assert 'data-theme="' not in desk.get("/queue/").content.decode()


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19 like Mac OS X) Version/19 Safari/605"


def signed_in(user: User, *, agent: str = FIREFOX) -> Client:
    """Sign in as people do, from a browser of one's own."""
    desk = Client(headers={"user-agent": agent})
    answer = desk.post("/sign-in/", {"username": user.username, "password": RIGHT})
    assert answer.status_code == 302
    return desk


@pytest.fixture
def here(person: User) -> Client:
    return signed_in(person)


@pytest.fixture
def phone(person: User, here: Client) -> Client:
    return signed_in(person, agent=PHONE)


class TestSessionList:
    def test_shows_device_and_times_and_no_secret(self, here: Client, phone: Client) -> None:
        html = here.get("/account/").content.decode()

        assert "Firefox on Linux" in html
        assert "Safari on iPhone" in html
        assert flat(html).count("this session") == 1
        for desk in (here, phone):
            assert desk.cookies["sessionid"].value not in html

    def test_is_of_one_s_own_sessions(self, here: Client, lead_desk: Client) -> None:
        assert "Firefox on Linux" not in lead_desk.get("/account/").content.decode()


class TestEndSession:
    def test_signs_out_the_other_device(self, here: Client, phone: Client) -> None:
        page = here.get("/account/").content.decode()
        [address] = re.findall(r'action="(/account/sessions/[^"]+-[^"]+/end/)"', page)

        assert here.post(address).status_code == 302

        assert here.get("/account/").status_code == 200
        assert phone.get("/account/").headers["Location"].startswith("/sign-in/")
        assert here.post(address).status_code == 404

    def test_signs_out_everywhere_else(self, here: Client, phone: Client) -> None:
        answer = here.post("/account/sessions/end/", follow=True)

        assert "1 other session has ended." in answer.content.decode()
        assert phone.get("/account/").status_code == 302

    def test_comes_with_a_new_password(self, here: Client, phone: Client) -> None:
        new = "quite-another-phrase-7"
        here.post("/account/password/", {"old_password": RIGHT, "new_password1": new, "new_password2": new})

        html = here.get("/account/").content.decode()

        assert "Safari on iPhone" not in html
        assert "this session" in html

    def test_of_somebody_is_an_administrators(
        self, admin_desk: Client, here: Client, person: User, admin: User
    ) -> None:
        page = flat(admin_desk.get("/users/").content.decode())
        assert f'data-opens="sessions-{person.pk}"' in page

        answer = admin_desk.post(f"/users/{person.pk}/sessions/end/", follow=True)

        assert "1 session has ended." in answer.content.decode()
        assert here.get("/account/").status_code == 302
        entry = AuditEntry.objects.get(action="user.sessions_ended")
        assert (entry.actor, entry.subject_id) == (admin, str(person.pk))
        assert admin_desk.post("/users/0/sessions/end/").status_code == 404

    def test_users_show_how_many_sessions_and_cases_each_has(
        self, admin_desk: Client, here: Client, phone: Client, person: User
    ) -> None:
        [row] = [user for user in admin_desk.get("/users/").context["users"] if user == person]

        assert (row.signed_in, row.claimed) == (2, 0)


DEMO_ACCOUNTS = ["moderator", "lead", "ml", "admin"]


def offered(client: Client) -> list[str]:
    """The accounts with a button on the sign-in page."""
    return re.findall(r'name="username" value="(\w+)"', client.get("/sign-in/").content.decode())


def press(client: Client, name: str) -> Any:
    """Send what the account's button sends, with the CSRF token of the page."""
    html = client.get("/sign-in/?next=/queue/").content.decode().partition("Accounts of the demo")[2]
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', html.partition("</form>")[0]))
    return client.post("/sign-in/", fields | {"username": name}, REMOTE_ADDR="192.0.2.1")


@pytest.fixture
def demo(db: None, settings: Any) -> Client:
    settings.IS_DEMO = True
    for name in DEMO_ACCOUNTS:
        User.objects.create_user(name, password="demo")
    return Client(enforce_csrf_checks=True)


class TestDemoAccounts:
    def test_open_with_a_button_each(self, demo: Client) -> None:
        assert offered(demo) == DEMO_ACCOUNTS
        demo.session["before"] = True
        before = demo.session.session_key

        answer = press(demo, "lead")

        assert answer.headers["Location"] == "/queue/"
        assert demo.session.session_key != before
        assert demo.get("/today/").context["user"].username == "lead"

    def test_need_the_token_of_the_page(self, demo: Client) -> None:
        assert attempt(demo, name="lead", password="demo").status_code == 403

    def test_wait_like_the_form_after_wrong_passwords(self, demo: Client) -> None:
        for _ in range(6):
            attempt(Client(), name="lead")

        assert press(demo, "lead").status_code == 429

    def test_are_left_out_once_closed_or_reset(self, demo: Client) -> None:
        User.objects.filter(username="lead").update(is_active=False)
        User.objects.filter(username="ml").update(must_change_password=True)

        assert offered(demo) == ["moderator", "admin"]

    def test_are_never_offered_in_production(self, demo: Client, settings: Any) -> None:
        settings.IS_DEMO, settings.IS_PRODUCTION, settings.SECURE_SSL_REDIRECT = False, True, False

        assert offered(demo) == []
        assert b"demo" not in demo.get("/sign-in/").content
