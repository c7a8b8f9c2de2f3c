"""Reasons of decisions, as administrators manage them."""

from __future__ import annotations

import importlib

import pytest
from django.test import Client

from moderation.models import AuditEntry, Reason
from tests.moderation.web.conftest import HTMX, asked


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
