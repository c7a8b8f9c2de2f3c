"""What administrators manage: users, platforms with their endpoints and keys, reasons of decisions."""

import importlib
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from standardwebhooks import Webhook

from moderation.models import ApiKey, AuditEntry, Case, Platform, Reason, User
from moderation.models.users import Role
from moderation.operations.accounts import api_keys
from tests.moderation.web.conftest import HTMX, asked


class TestPeople:
    def test_are_taken_on_with_a_password_to_change(self, admin_desk: Client, client: Client) -> None:
        answer = admin_desk.post("/users/", {"username": "nadia", "role": "lead"})

        password = answer.context["password"]
        assert client.post("/sign-in/", {"username": "nadia", "password": password}).status_code == 302
        assert client.get("/queue/").headers["Location"] == "/account/"
        assert password not in admin_desk.get("/users/").content.decode()

    # In wide letters, too, and with one that stands for eighteen.
    @pytest.mark.parametrize("name", ["admin", "ａdmin", "ﷺ", "ﷺ" * 10])
    def test_are_refused_under_a_name_that_is_taken_or_none(self, admin_desk: Client, name: str) -> None:
        assert admin_desk.post("/users/", {"username": name, "role": "lead"}).status_code == 422

    def test_get_another_role_at_once(self, admin_desk: Client, desk: Client, moderator: User) -> None:
        assert desk.get("/rules/").status_code == 403

        admin_desk.post(f"/users/{moderator.pk}/", {"role": "lead"})

        assert desk.get("/rules/").status_code == 200
        assert AuditEntry.objects.get(action="user.changed").details == {"role": "lead", "was": "moderator"}

    def test_hand_their_cases_back_when_closed(
        self, admin_desk: Client, case_in_front: Case, moderator: User
    ) -> None:
        admin_desk.post(f"/users/{moderator.pk}/switch/", {"active": "0"})

        case_in_front.refresh_from_db()
        moderator.refresh_from_db()
        assert (case_in_front.claimed_by, moderator.is_active) == (None, False)

        admin_desk.post(f"/users/{moderator.pk}/switch/", {"active": "1"})
        moderator.refresh_from_db()
        assert moderator.is_active

    def test_cannot_lock_themselves_out(self, admin_desk: Client, admin: User) -> None:
        User.objects.create_user("second", role=Role.ADMIN)

        admin_desk.post(f"/users/{admin.pk}/switch/", {"active": "0"})
        admin_desk.post(f"/users/{admin.pk}/", {"role": "moderator"})

        admin.refresh_from_db()
        assert (admin.is_active, admin.role) == (True, Role.ADMIN)

    def test_get_a_new_password(self, admin_desk: Client, moderator: User, client: Client) -> None:
        password = admin_desk.post(f"/users/{moderator.pk}/reset/").context["password"]

        assert client.post("/sign-in/", {"username": "moderator", "password": password}).status_code == 302


@pytest.mark.parametrize(
    "page", ["platforms/1/stand", "users/1/switch", "users/1/addresses", "decisions/1/action"]
)
@pytest.mark.parametrize("given", [{}, dict.fromkeys(("act", "active", "allowed", "answer"), "nonsense")])
def test_an_act_that_no_form_names_is_refused(admin_desk: Client, page: str, given: dict[str, str]) -> None:
    assert admin_desk.post(f"/{page}/", given).status_code == 400


def shown_secret(answer: Any) -> str:
    return str(answer.context["secret"])


class TestPlatforms:
    def test_are_taken_on_and_renamed(self, admin_desk: Client) -> None:
        page = admin_desk.post("/platforms/", {"name": "Chat", "slug": "chat"}).headers["Location"]
        assert page == f"/platforms/{Platform.objects.get().pk}/"
        assert AuditEntry.objects.get().action == "platform.registered"

        admin_desk.post(page, {"name": "Other"})

        assert Platform.objects.get().name == "Other"

    def test_are_refused_under_a_name_that_is_taken(self, admin_desk: Client, platform: Platform) -> None:
        assert admin_desk.post("/platforms/", {"name": "Two", "slug": "social"}).status_code == 422
        assert Platform.objects.count() == 1


class TestEndpoints:
    @pytest.fixture(autouse=True)
    def _any_address(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """No name is resolved in a test; the guard has tests of its own."""
        monkeypatch.setattr("moderation.operations.infrastructure.egress.check", lambda _url: None)

    def add(self, desk: Client, platform: Platform, url: str = "https://chat.example/hook") -> Any:
        return desk.post(f"/platforms/{platform.pk}/endpoints/", {"url": url})

    def test_get_a_secret_shown_once(self, admin_desk: Client, platform: Platform) -> None:
        answer = self.add(admin_desk, platform)

        secret = shown_secret(answer)
        assert Webhook(secret).sign(msg_id="1", timestamp=timezone.now(), data="x")
        assert "no-store" in answer.headers["Cache-Control"]
        later = admin_desk.get(f"/platforms/{platform.pk}/").content.decode()
        assert "chat.example" in later
        assert secret not in later
        assert secret not in str(AuditEntry.objects.get().details)

    def test_get_a_new_secret_beside_the_old_one(self, admin_desk: Client, platform: Platform) -> None:
        first = shown_secret(self.add(admin_desk, platform))
        endpoint = platform.webhook_endpoints.get()

        second = shown_secret(admin_desk.post(f"/endpoints/{endpoint.pk}/secret/"))

        assert first != second
        assert endpoint.secrets.count() == 2

    def test_are_removed(self, admin_desk: Client, platform: Platform) -> None:
        self.add(admin_desk, platform)

        admin_desk.post(f"/endpoints/{platform.webhook_endpoints.get().pk}/remove/")

        assert platform.webhook_endpoints.get().state == "removed"

    @pytest.mark.parametrize("url", ["", "not an address", "javascript:alert(1)"])
    def test_need_an_address(self, admin_desk: Client, platform: Platform, url: str) -> None:
        assert self.add(admin_desk, platform, url).status_code == 422

    def test_need_tls_in_production(self, admin_desk: Client, platform: Platform, settings: Any) -> None:
        settings.IS_PRODUCTION, settings.SECURE_SSL_REDIRECT = True, False

        assert self.add(admin_desk, platform, "http://chat.example/hook").status_code == 422


class TestKeys:
    def issue(self, desk: Client, platform: Platform, **given: Any) -> Any:
        form = {"name": "ingest", "scopes": ["posts:write"], "days": "90"}
        return desk.post(f"/platforms/{platform.pk}/keys/", form | given)

    def test_are_accepted_until_revoked(self, admin_desk: Client, platform: Platform) -> None:
        secret = shown_secret(self.issue(admin_desk, platform))
        at = timezone.now()

        key = api_keys.authenticate(secret=secret, at=at)
        assert key.scopes == ["posts:write"]
        assert secret not in admin_desk.get(f"/platforms/{platform.pk}/").content.decode()
        admin_desk.post(f"/keys/{key.pk}/revoke/")

        with pytest.raises(api_keys.RevokedKey):
            api_keys.authenticate(secret=secret, at=at)

    def test_end_by_themselves(self, admin_desk: Client, platform: Platform) -> None:
        secret = shown_secret(self.issue(admin_desk, platform))

        with pytest.raises(api_keys.ExpiredKey):
            api_keys.authenticate(secret=secret, at=timezone.now() + timedelta(days=91))

    @pytest.mark.parametrize(
        "given", [{"name": ""}, {"scopes": []}, {"scopes": ["everything"]}, {"days": "7"}]
    )
    def test_need_a_name_and_a_scope(self, admin_desk: Client, platform: Platform, given: Any) -> None:
        assert self.issue(admin_desk, platform, **given).status_code == 422
        assert not ApiKey.objects.exists()

    def test_begin_with_what_every_platform_needs(self, admin_desk: Client, platform: Platform) -> None:
        page = admin_desk.get(f"/platforms/{platform.pk}/").content.decode()

        checked = re.findall(r'value="([a-z:]+)"\s+checked', page)
        assert checked == ["posts:write", "complaints:write", "verdicts:read", "webhooks:admin"]
        assert '<option value="365" selected>' in page


@pytest.fixture
def free_digit(db: None) -> None:
    Reason.objects.filter(digit=9).delete()


@pytest.mark.usefixtures("free_digit")
class TestReasons:
    FORM = {"title": "Fake shop", "digit": "9", "verdict": "spam", "signals": "complaint:scam\ncontext."}

    def test_are_added_changed_and_retired(self, admin_desk: Client) -> None:
        admin_desk.post("/reasons/", self.FORM | {"code": "fake-shop"})
        made = Reason.objects.get(code="fake-shop")
        assert made.signals == ["complaint:scam", "context."]

        admin_desk.post(f"/reasons/{made.pk}/", self.FORM | {"title": "Fake"})
        made.refresh_from_db()
        assert (made.title, made.is_active) == ("Fake", False)

    def test_never_share_a_digit_or_a_code(self, admin_desk: Client) -> None:
        codes = [admin_desk.post("/reasons/", self.FORM | {"code": code}) for code in ("one", "two", "one")]

        assert [answer.status_code for answer in codes] == [302, 422, 422]


class TestLanguages:
    IN_GERMAN = {"title_de": "Falscher Laden", "guideline_de": ""}
    FORM = TestReasons.FORM | IN_GERMAN | {"guideline": "Sells nothing."}

    @pytest.fixture
    def fake_shop(self, admin_desk: Client, free_digit: None) -> Reason:
        """A reason with a label in both languages and a guideline in English."""
        admin_desk.post("/reasons/", self.FORM | {"code": "fake-shop"})
        return Reason.objects.get(code="fake-shop")

    def test_are_kept_apart_and_audited(self, fake_shop: Reason) -> None:
        assert fake_shop.titles == {"de": "Falscher Laden"}
        assert fake_shop.guidelines == {"en": "Sells nothing."}
        entry = AuditEntry.objects.get(action="reason.added")
        assert entry.details["titles"] == {"de": "Falscher Laden"}
        assert entry.details["guidelines"] == {"en": "Sells nothing."}

    @pytest.mark.parametrize(
        ("language", "title", "guideline"),
        [("en", "Fake shop", "Sells nothing."), ("de", "Falscher Laden", "Sells nothing.")],
    )
    def test_are_the_readers_with_english_where_nobody_wrote_one(
        self, desk: Client, fake_shop: Reason, language: str, title: str, guideline: str
    ) -> None:
        body = desk.get("/guidelines/", headers={"accept-language": language}).content.decode()

        assert title in body
        assert guideline in body
        assert ("Falscher Laden" in body) is (language == "de")

    def test_show_the_form_again_as_it_was_filled_in(self, admin_desk: Client, fake_shop: Reason) -> None:
        body = admin_desk.post("/reasons/", self.FORM | {"code": "fake-shop"}).content.decode()

        assert "Sells nothing." in body
        assert 'value="Falscher Laden"' in body

    def test_of_the_shipped_reasons_are_complete(self) -> None:
        shipped = importlib.import_module("moderation.migrations.0003_standard_reasons").GUIDELINES

        assert len(shipped) == 9
        assert all(len(words) == 4 and all(words) and words[2] != words[3] for words in shipped.values())


@pytest.mark.usefixtures("reasons")
class TestGuidelines:
    def test_stand_on_a_page_and_alone_for_the_dialog(self, desk: Client) -> None:
        Reason.objects.filter(code="scam").update(guidelines={"en": "Such as invented profits."})

        page = desk.get("/guidelines/").content.decode()
        alone = desk.get("/guidelines/", headers=HTMX).content.decode()

        for body in (page, alone):
            assert "Scam or fraud" in body
            assert "invented profits" in body
        assert "<html" in page
        assert "<html" not in alone

    def test_leave_out_retired_reasons(self, desk: Client) -> None:
        Reason.objects.filter(code="scam").update(is_active=False)

        assert "Scam or fraud" not in desk.get("/guidelines/").content.decode()

    def test_are_inert(self, admin_desk: Client) -> None:
        hostile = "<script>alert(1)</script>"
        Reason.objects.update(title=hostile, titles={"de": hostile}, guidelines={"en": hostile})

        for address in ("/guidelines/", "/reasons/"):
            assert "<script>alert" not in admin_desk.get(address).content.decode()

    def test_need_one_query_for_any_number(self, desk: Client) -> None:
        assert len(asked(desk, "/guidelines/")) <= 4
