"""Leases of the cases on a page: kept alive, given back, never overwriting another decision."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from moderation.models import Case, Decision, DeskSettings, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import claims, review
from tests.browser.review.review_page import after_leaving, in_front, nothing_is_claimed
from tests.browser.stage import Open, Watch, press_and_wait
from tests.django_fixtures import wait_until
from tests.moderation.conftest import Case_

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class TestLease:
    @pytest.mark.gate
    def test_that_ran_out_never_overwrites_anothers_decision(self, page: Page, other_moderator: User) -> None:
        """Trial 8."""
        case = Case.objects.get(pk=in_front(page))
        Case.objects.filter(pk=case.pk).update(lease_end_at=timezone.now() - timedelta(seconds=1))
        claims.claim(case_id=case.pk, moderator=other_moderator, at=timezone.now())
        review.decide(
            case_id=case.pk,
            case_version=case.version,
            moderator=other_moderator,
            verdict=Verdict.NOT_SPAM,
            at=timezone.now(),
        )

        page.keyboard.press("s")

        expect(page.locator("#notices")).to_contain_text(
            "other_moderator already decided this case: not spam."
        )
        expect(page.locator(".decided")).to_contain_text("not spam")
        expect(page.locator(".decided")).to_contain_text("by other_moderator")
        assert in_front(page) == str(case.pk)
        assert Decision.objects.count() == 1
        press_and_wait(page, "r")
        expect(page.locator("[data-key=s]")).to_be_visible()

    def test_is_kept_alive_by_the_heartbeat(
        self, page_of: Open, open_case: Case_, moderator: User, remembered: DeskSettings
    ) -> None:
        remembered.lease_seconds = 3
        case = open_case()
        page = page_of(moderator)
        page.goto(f"/review/{case.pk}/")
        page.keyboard.press("r")
        page.wait_for_selector("[data-claim]")
        case.refresh_from_db()
        assert case.lease_end_at is not None
        later = case.lease_end_at + timedelta(seconds=remembered.lease_seconds)

        wait_until(lambda: Case.objects.filter(pk=case.pk, lease_end_at__gt=later).exists())

    @pytest.mark.parametrize("lost", ["the new token", "the rest of the answer"])
    def test_a_heartbeat_that_is_lost_half_way_is_no_error(
        self,
        page_of: Open,
        open_case: Case_,
        moderator: User,
        remembered: DeskSettings,
        watch: Watch,
        lost: str,
    ) -> None:
        """As when the page is left meanwhile."""
        remembered.lease_seconds = 3
        open_case()
        page = page_of(moderator)
        beats: list[Route] = []

        def answer(route: Route) -> None:
            beats.append(route)
            if lost == "the new token":
                route.fulfill(status=403, body="")
            else:
                route.fulfill(status=200, body='{"held": [')

        page.route("**/beat/", answer)
        page.route("**/token/", lambda route: route.abort())
        page.goto("/review/")
        press_and_wait(page, "r")

        wait_until(lambda: page.evaluate("1") and len(beats) >= 3)

        assert [said for said in watch.complaints if "Failed to load resource" not in said] == []

    def test_of_everything_is_given_back_when_the_page_is_left(self, page: Page) -> None:
        assert Case.objects.filter(claimed_by__isnull=False).count() == 4

        page.goto("about:blank")

        wait_until(nothing_is_claimed)

    def test_of_a_first_claim_on_its_way_too(
        self, page_of: Open, open_case: Case_, moderator: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        open_case()
        page = page_of(moderator)
        page.goto("/review/")
        is_held = after_leaving(monkeypatch, "hold")

        with page.expect_request("**/next/"):
            page.keyboard.press("r")
        page.close()

        wait_until(is_held.is_set)
        wait_until(nothing_is_claimed)
