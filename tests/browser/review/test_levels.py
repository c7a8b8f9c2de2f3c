"""The two levels of a case: how little a decision shows, and what one key adds."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from moderation.models import Campaign, CampaignMember, Case, Reason, Score, User
from moderation.models.evidence import EvidenceKind, EvidenceRole
from tests.browser.review.review_page import in_front
from tests.browser.stage import Open, Settle, Watch, explain, press_and_wait, reviewing, violations
from tests.django_fixtures import wait_until
from tests.moderation.carried_pictures import carry, carry_picture
from tests.moderation.conftest import Case_
from tests.moderation.counted_case import report_it

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("evidence_store"),
]

MOST_WORDS, MOST_STOPS = 80, 20
# What is seen without scrolling. The words of one text count once, however many of them are marked, and the
# reasons, radio buttons of one group, are one stop of the tabulator.
ABOVE_THE_FOLD = """() => {
  const isAbove = box => box.width > 1 && box.height > 1 && box.top < 800 && box.bottom > 0;
  const words = new Set(), stops = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement, range = document.createRange();
    if (!node.data.trim() || !parent.checkVisibility() || parent.closest('.only-heard')) continue;
    range.selectNodeContents(node);
    const text = parent.closest('.post-text__words, .quote') ?? node;
    if ([...range.getClientRects()].some(isAbove)) words.add(text);
  }
  for (const stop of document.querySelectorAll('a, button, input, select, textarea, summary, [tabindex]')) {
    const isStop = stop.tabIndex >= 0 && !stop.disabled && stop.checkVisibility();
    if (isStop && isAbove(stop.getBoundingClientRect())) stops.add(stop.type === 'radio' ? stop.name : stop);
  }
  return [words.size, stops.size];
}"""
SAID = "See what came of it at http://parcel.example/now, only today"


@pytest.fixture
def brief(page_of: Open, cases: list[Case], moderator: User) -> Page:
    """A moderator's page with one case in front and three behind it, as a new account shows them."""
    return reviewing(page_of(moderator, is_detailed=False))


def gathered(cases: list[Case]) -> None:
    """Make the cases' posts one campaign."""
    at = timezone.now()
    campaign = Campaign.objects.create(opened_at=at, latest_at=at, posts=len(cases), authors=2, domains=1)
    for case in cases:
        revision = case.score.revision
        CampaignMember.objects.create(
            post=case.post, revision=revision, campaign=campaign, joined_at=at, likeness=1.0
        )


def with_all_there_is(case: Case) -> None:
    """Give a case marked words, reasons, complaints, a picture and pages behind its link."""
    explain(case)
    text = case.score.revision.text
    marks = [[start, start + 4, 1.0] for start in range(0, len(text) - 8, 8)]
    Score.objects.filter(pk=case.score_id).update(word_contributions=marks)
    report_it(case.post, at=timezone.now(), note="Sells pills to my mother")
    carry_picture(
        case, text="Pay now " * 20, codes=[{"format": "QRCode", "text": "http://pills.example/now"}]
    )
    for number, is_password in enumerate((True, False)):
        carry(
            case,
            f"http://pills.example/{number}",
            role=EvidenceRole.LINK,
            kind=EvidenceKind.PAGE,
            site="pills.example",
            facts={"title": "Sign in", "text": "Type your password " * 10, "has_password": is_password},
        )


class TestAboveTheFold:
    def test_a_decision_shows_half_of_what_there_is(
        self, page_of: Open, open_case: Case_, counted_case: Case, reasons: dict[str, Reason], moderator: User
    ) -> None:
        with_all_there_is(counted_case)
        plain = open_case(text="Sourdough at last, thanks to all of you")
        linked = open_case(text=SAID, ip="203.0.113.7")
        carry_picture(linked)
        page = page_of(moderator, is_detailed=False)
        found = {}
        for name, case in {"plain": plain, "linked": linked, "full": counted_case}.items():
            page.goto(f"/review/{case.pk}/")
            page.keyboard.press("r")
            page.locator(f"[data-case='{case.pk}'][data-claim]").wait_for()
            found[name] = page.evaluate(ABOVE_THE_FOLD)
            assert violations(page) == []
        page.keyboard.press("z")

        assert all(words <= MOST_WORDS and stops <= MOST_STOPS for words, stops in found.values()), found
        assert page.evaluate(ABOVE_THE_FOLD)[0] > found["full"][0] + 20


class TestLevel:
    @pytest.mark.gate
    def test_is_one_key_for_cases_that_wait_too_and_remembered(self, brief: Page, settle: Settle) -> None:
        expect(brief.locator(".post-ids")).to_be_hidden()
        expect(brief.get_by_role("button", name="All details")).to_have_attribute("aria-pressed", "false")

        brief.keyboard.press("z")
        expect(brief.locator(".post-ids")).to_be_visible()
        press_and_wait(brief, "s")

        expect(brief.locator(".post-ids")).to_be_visible()
        expect(brief.get_by_role("button", name="All details")).to_have_attribute("aria-pressed", "true")
        wait_until(lambda: User.objects.get(username="moderator").preferences.is_detailed)
        settle(brief)
        brief.reload()
        expect(brief.locator(".post-ids")).to_be_visible()

    def test_leaves_out_of_reach_what_it_hides_but_for_its_keys(self, brief: Page, watch: Watch) -> None:
        reached = [brief.locator("article").evaluate("article => article.focus()")]
        for _ in range(12):
            brief.keyboard.press("Tab")
            reached.append(
                brief.evaluate("document.activeElement.closest('.only-in-detail, .pane') !== null")
            )
            reached[-1] &= brief.evaluate("!document.activeElement.checkVisibility()")
        assert not any(reached)
        brief.locator("article").evaluate("article => article.focus()")

        brief.keyboard.press("a")
        expect(brief.locator(".beside__subject")).to_be_visible()
        brief.keyboard.press("Escape")
        brief.keyboard.press("c")
        expect(brief.locator(".context .lanes")).to_be_visible()
        brief.keyboard.press("c")
        expect(brief.locator(".context .lanes")).to_be_hidden()
        brief.keyboard.press("m")
        expect(brief.locator(".case-notes__new input[name=note]")).to_be_focused()
        brief.keyboard.press("Escape")
        expect(brief.locator(".case-notes__new")).to_be_hidden()
        brief.keyboard.press("p")
        expect(brief.locator("#pause")).to_be_visible()

        assert watch.findings == []


class TestKeys:
    def test_say_what_the_case_lacks(self, brief: Page) -> None:
        first = in_front(brief)
        said = {
            ".": "There is no next picture.",
            "y": "No campaign is shown",
            "d": "links to no domain",
            "w": "No page behind a link",
        }
        for key, words in said.items():
            brief.keyboard.press(key)

            expect(brief.locator("#notices .notice")).to_contain_text(words)
            expect(brief.locator("#announcements")).to_contain_text(words)
            assert in_front(brief) == first

    def test_go_from_picture_to_picture(self, page_of: Open, open_case: Case_, moderator: User) -> None:
        case = open_case(text="Look")
        for number in range(2):
            carry_picture(case, f"http://pictures.example/{number}.png")
        page = page_of(moderator, is_detailed=False)
        page.goto(f"/review/{case.pk}/")
        seen = []
        for _ in range(3):
            page.keyboard.press(".")
            seen.append(
                page.evaluate("[...document.querySelectorAll('.picture')].indexOf(document.activeElement)")
            )

        assert seen == [0, 1, 0]

    def test_bring_the_next_of_the_campaign_and_keep_this_one_behind_it(
        self, page_of: Open, cases: list[Case], moderator: User, watch: Watch
    ) -> None:
        page = page_of(moderator, is_detailed=False)
        gathered([cases[0], cases[12]])
        page.goto(f"/review/{cases[0].pk}/")
        press_r = page.locator(f"[data-case='{cases[0].pk}'][data-claim]")
        page.keyboard.press("r")
        press_r.wait_for()

        press_and_wait(page, "y")
        assert in_front(page) == str(cases[12].pk)
        press_and_wait(page, "n")

        assert in_front(page) == str(cases[0].pk)
        page.keyboard.press("y")  # the other one was left to somebody else
        expect(page.locator("#notices .notice")).to_contain_text("No other case of this campaign")
        assert watch.findings == []
