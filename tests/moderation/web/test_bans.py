"""Bans through their pages: the dry run, imposing, lifting."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Ban, Case, Revision, User
from moderation.operations import review
from tests.moderation.web.conftest import HTMX

Case_ = Callable[..., Case]


@pytest.fixture
def linked(open_case: Case_) -> Case:
    return open_case(text="see https://www.shop.example/a", ip="203.0.113.7", at=timezone.now())


class TestDryRun:
    @pytest.mark.parametrize(
        ("kind", "value"),
        [("domain", "shop.example"), ("host", "www.shop.example"), ("address", "203.0.113.0/24")],
    )
    def test_counts_what_a_ban_would_have_hit(
        self, lead_desk: Client, linked: Case, kind: str, value: str
    ) -> None:
        body = lead_desk.get("/bans/new/", {"kind": kind, "value": value}).content.decode()

        assert "<strong>1 post</strong> so far" in body
        assert "People have judged none of them." in body

    def test_shows_what_people_found_harmless(
        self, lead_desk: Client, open_case: Case_, moderator: User
    ) -> None:
        at = timezone.now()
        for number, verdict in enumerate(("spam", "spam", "not_spam")):
            case = open_case(text=f"{verdict} {number} https://shop.example/", at=at)
            review.claim(case_id=case.pk, moderator=moderator, at=at)
            review.decide(case_id=case.pk, case_version=1, moderator=moderator, verdict=verdict, at=at)

        body = lead_desk.get("/bans/new/?kind=domain&value=shop.example").content.decode()

        assert "<strong>67% confirmed spam</strong> (95% interval 21% to 94%)" in body
        assert "1 is not: see it" in body
        assert "not_spam 2" in body
        harmless = lead_desk.get("/posts/?state=not_spam&domain=shop.example").content.decode()
        assert "not_spam 2" in harmless
        assert "spam 1" not in harmless

    def test_changes_nothing(self, lead_desk: Client, linked: Case) -> None:
        lead_desk.get("/bans/new/?kind=domain&value=shop.example")

        assert not Ban.objects.exists()

    @pytest.mark.parametrize("query", ["", "kind=domain&value=com", "kind=address&value=0.0.0.0/0", "kind=x"])
    def test_refuses_what_cannot_be_banned(self, lead_desk: Client, query: str) -> None:
        assert lead_desk.get(f"/bans/new/?{query}").headers["Location"] == "/bans/"


class TestBans:
    def impose(self, desk: Client, **given: str) -> int:
        form = {
            "kind": "domain",
            "value": "shop.example",
            "reason": "Sells pills",
            "days": "7",
            "requeue": "",
        }
        return desk.post("/bans/new/", form | given).status_code

    def test_are_imposed_listed_and_lifted(self, lead_desk: Client, linked: Case) -> None:
        assert self.impose(lead_desk) == 302
        imposed = Ban.objects.get()
        assert imposed.expires_at is not None
        assert "Sells pills" in lead_desk.get("/bans/").content.decode()
        assert "shop.example" in lead_desk.get("/domains/?which=banned").content.decode()

        lead_desk.post(f"/bans/{imposed.pk}/lift/")

        assert Ban.objects.get().lifted_at is not None
        assert "Sells pills" not in lead_desk.get("/bans/", headers=HTMX).content.decode()
        assert "Sells pills" in lead_desk.get("/bans/?ended=1", headers=HTMX).content.decode()

    def test_score_again_what_waits(self, lead_desk: Client, linked: Case) -> None:
        self.impose(lead_desk, requeue="waiting")

        assert Revision.objects.get().score_state == "pending"

    def test_of_an_address_show_on_its_page(self, lead_desk: Client, linked: Case) -> None:
        self.impose(lead_desk, kind="address", value="203.0.113.0/24", days="")

        assert "banned with 203.0.113.0/24" in lead_desk.get("/addresses/203.0.113.7/").content.decode()

    def test_need_a_reason(self, lead_desk: Client, linked: Case) -> None:
        assert self.impose(lead_desk, reason="") == 422
        assert not Ban.objects.exists()

    def test_are_refused_when_banned_before(self, lead_desk: Client, linked: Case) -> None:
        for _ in range(2):
            self.impose(lead_desk)

        assert Ban.objects.count() == 1
        assert "banned already" in lead_desk.get("/domains/shop.example/").content.decode()

    def test_cannot_be_lifted_twice(self, lead_desk: Client, linked: Case) -> None:
        self.impose(lead_desk)
        for _ in range(2):
            lead_desk.post(f"/bans/{Ban.objects.get().pk}/lift/")

        assert "lifted before" in lead_desk.get("/bans/").content.decode()
