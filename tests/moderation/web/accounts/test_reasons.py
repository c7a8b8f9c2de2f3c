"""Reasons of decisions, as administrators manage them."""

from __future__ import annotations

from django.test import Client

from moderation.models import Reason


class TestReasons:
    FORM = {"title": "Fake shop", "digit": "9", "verdict": "spam", "signals": "complaint:scam\ncontext."}

    def test_are_added_changed_and_retired(self, admin_desk: Client) -> None:
        Reason.objects.filter(digit=9).delete()

        admin_desk.post("/reasons/", self.FORM | {"code": "fake-shop"})
        made = Reason.objects.get(code="fake-shop")
        assert made.signals == ["complaint:scam", "context."]

        admin_desk.post(f"/reasons/{made.pk}/", self.FORM | {"title": "Fake"})
        made.refresh_from_db()
        assert (made.title, made.is_active) == ("Fake", False)

    def test_never_share_a_digit_or_a_code(self, admin_desk: Client) -> None:
        Reason.objects.filter(digit=9).delete()
        admin_desk.post("/reasons/", self.FORM | {"code": "first"})

        assert admin_desk.post("/reasons/", self.FORM | {"code": "second"}).status_code == 422
        assert admin_desk.post("/reasons/", self.FORM | {"code": "first"}).status_code == 422

    def test_show_a_hostile_title_inert(self, admin_desk: Client) -> None:
        Reason.objects.filter(digit=9).delete()
        admin_desk.post("/reasons/", self.FORM | {"code": "x", "title": "<script>alert(1)</script>"})

        assert "<script>alert" not in admin_desk.get("/reasons/").content.decode()
