"""A campaign of two hundred by keyboard alone, and hostile members of one."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from moderation.models import Campaign, CampaignMember, Case, Decision, DeskSettings, Platform, User
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.operations.campaigns import campaign_decisions
from moderation.operations.campaigns.campaign_decisions import Wanted
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.browser.stage import MARKUP, SPOOFS, Open, Watch, violations, wait_for_keys
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.campaigns.campaign_posts import accept, incoming, opened, run_all

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

SIZE, FEW = 200, 30
Pills = Callable[[int], Campaign]


@pytest.fixture
def pills_of(platform: Platform, fake_scorer: FakeScorer, remembered: DeskSettings) -> Pills:
    """So many that wait. Undoing takes as long as a slow machine needs."""
    remembered.undo_seconds = 90
    at = timezone.now() - timedelta(hours=1)
    return lambda size: opened(platform, size, at=at, links=("https://pills.example/buy",), ip="203.0.113.9")


@pytest.fixture
def pills(pills_of: Pills) -> Campaign:
    """A few that wait; what is promised of two hundred makes them itself."""
    return pills_of(FEW)


def open_now() -> int:
    return Case.objects.filter(state=CaseState.OPEN).count()


class TestTwice:
    def test_the_bar_covers_no_row_being_read(self, page_of: Open, moderator: User, pills: Campaign) -> None:
        page = page_of(moderator)
        page.set_viewport_size({"width": 640, "height": 400})  # 1280 by 800 at 200 %
        page.goto(f"/campaigns/{pills.pk}/")
        wait_for_keys(page)
        for _ in range(4):
            page.keyboard.press("j")
        box = "element => element.getBoundingClientRect().toJSON()"
        row = page.locator("li:has(:focus)").last.evaluate(box)
        bar = page.locator(".decide-bar").evaluate(box)

        assert 0 <= row["top"] < row["bottom"] <= 400
        assert row["bottom"] <= bar["top"] or bar["bottom"] <= row["top"]


class TestKeyboard:
    @pytest.mark.gate
    def test_decides_two_hundred_and_takes_them_back(
        self, page_of: Open, moderator: User, pills_of: Pills, watch: Watch
    ) -> None:
        pills = pills_of(SIZE)
        page = page_of(moderator)
        page.goto(f"/campaigns/{pills.pk}/")
        expect(page.get_by_role("heading", level=1)).to_contain_text("Cheap pills")
        expect(page.locator(".page__lead")).to_contain_text(f"{SIZE} similar posts · ")

        page.keyboard.press("s")
        expect(page.get_by_label("to decide")).to_be_focused()
        page.keyboard.type(str(SIZE))
        page.keyboard.press("Enter")
        expect(page.get_by_text("200 posts decided: spam.")).to_be_visible()
        assert open_now() == 0
        assert Decision.objects.filter(verdict=Verdict.SPAM, decided_by=moderator).count() == SIZE

        page.wait_for_load_state()  # with the scripts that know the keys
        page.keyboard.press("u")
        expect(page.get_by_text("Undone.")).to_be_visible()
        assert open_now() == SIZE
        assert watch.findings == []

    def test_leaves_members_out_by_moving_along_them(
        self, page_of: Open, moderator: User, pills: Campaign
    ) -> None:
        page = page_of(moderator)
        page.goto(f"/campaigns/{pills.pk}/")

        for _ in range(3):
            page.keyboard.press("j")
        page.keyboard.press("k")
        page.keyboard.press("Enter")

        expect(page.locator(".member--left-out")).to_have_count(1)
        expect(page.locator("[data-key=s] .decide__count")).to_have_text(str(FEW - 1))
        second = CampaignMember.objects.order_by("likeness", "id")[1]
        assert second.left_out_by == moderator


class TestHostile:
    def test_never_runs_calls_out_or_breaks_its_box(
        self, page_of: Open, lead: User, platform: Platform, fake_scorer: FakeScorer, watch: Watch
    ) -> None:
        at = timezone.now() - timedelta(hours=1)
        same = "the same words in every one of these posts, so that they belong together"
        for payload in (*MARKUP, *SPOOFS):
            author = IncomingAuthor(external_id=payload[:150], display_name=payload[:200])
            text = f"{same} {payload}"[:30_000]
            link = f"https://evil.example/{payload[:200]}"
            run_all(
                accept(platform, [incoming(1, at=at, text=text, author=author, links=(link,))], at=at), at=at
            )
        made = Campaign.objects.filter(merged_into__isnull=True)
        page = page_of(lead)
        for campaign in made:
            page.goto(f"/campaigns/{campaign.pk}/")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.goto("/campaigns/")

        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert sum(campaign.posts for campaign in made) >= 20
        assert watch.findings == []


class TestAxe:
    def test_finds_nothing(self, page_of: Open, lead: User, pills: Campaign) -> None:
        page = page_of(lead, reduced_motion="reduce")
        found = {}
        for address in ("/campaigns/", f"/campaigns/{pills.pk}/"):
            page.goto(address)
            found[address] = violations(page)
        page.keyboard.press("s")
        page.get_by_label("to decide").wait_for()
        found["asking for the count"] = violations(page)
        campaign_decisions.decide(
            campaign_id=pills.pk,
            wanted=Wanted(verdict=Verdict.SPAM, expected_count=FEW, confirmed_count=FEW),
            moderator=lead,
            at=timezone.now(),
        )
        page.goto(f"/campaigns/{pills.pk}/")
        found["decided"] = violations(page)

        assert not any(found.values()), found
