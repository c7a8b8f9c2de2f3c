"""The desk on a phone and at 200 %: what one presses is in reach, and no table is broken."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from moderation.models import Case, Reason, User
from tests.browser.review.review_page import in_front
from tests.browser.stage import Open, press_and_wait, wait_for_ahead, wait_for_decisions
from tests.moderation.conftest import Case_

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE: ViewportSize = {"width": 390, "height": 844}
PAGES = (
    *("/today/", "/queue/", "/campaigns/", "/decisions/", "/posts/", "/authors/", "/domains/", "/rules/"),
    *("/health/", "/users/", "/reasons/", "/platforms/", "/audit/"),
)
TWICE: ViewportSize = {"width": 640, "height": 400}  # 1280 by 800 at 200 %
# Words of ordinary length that the layout breaks inside: their lines are more than one.
BROKEN = """() => [...document.querySelectorAll('.table td, .table th')].flatMap(cell => {
  const found = [];
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest('.only-heard, .table__excerpt') || !parent.checkVisibility()) continue;
    for (const word of node.data.matchAll(/(?<![A-Za-z])[A-Za-z]{3,15}(?![A-Za-z])/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) found.push(word[0]);
    }
  }
  return found;
})"""


@pytest.fixture
def phone(page_of: Open, open_case: Case_, moderator: User) -> Page:
    """A moderator's phone with a case in front and three behind it."""
    for number in range(14):
        open_case(text=f"Post number {number}. " + "It has quite some words. " * 20)
    page = page_of(moderator, has_touch=True, is_mobile=True)
    page.set_viewport_size(PHONE)
    page.goto("/review/")
    page.get_by_role("button", name="Start reviewing").click()
    page.wait_for_selector("[data-claim]")
    wait_for_ahead(page)
    return page


class TestPhone:
    @pytest.mark.gate
    def test_undo_is_in_reach_after_a_decision(self, phone: Page) -> None:
        first = in_front(phone)
        phone.get_by_role("button", name="Spam", exact=True).click()
        wait_for_decisions(1)
        undo = phone.get_by_role("button", name="Undo")
        expect(undo.locator("[data-countdown-left]")).to_be_visible()
        expect(undo).to_be_in_viewport(ratio=1)
        acts, bar = phone.locator(".acts").bounding_box(), undo.bounding_box()
        assert acts is not None
        assert bar is not None
        assert bar["y"] + bar["height"] <= acts["y"]

        undo.click()

        expect(phone.locator("#current-case [data-case]")).to_have_attribute("data-case", first)

    def test_the_next_case_begins_at_its_top(self, phone: Page) -> None:
        phone.evaluate("scrollTo(0, 900)")
        phone.get_by_role("button", name="Fine, not spam").click()
        wait_for_decisions(1)

        expect(phone.locator("#case-title")).to_be_in_viewport(ratio=1)

    def test_has_no_caps_of_keys_the_score_under_the_text_and_notices_in_sight(self, phone: Page) -> None:
        caps = phone.evaluate("[...document.querySelectorAll('kbd')].filter(cap => cap.checkVisibility())")
        assert caps == []
        chip, text = phone.locator(".score-chip"), phone.locator("#post-text")
        below, above = chip.bounding_box(), text.bounding_box()
        assert below is not None
        assert above is not None

        assert 0 <= below["y"] - (above["y"] + above["height"]) <= 16
        expect(phone.locator(".verdict")).not_to_be_in_viewport()
        phone.evaluate("scrollTo(0, 900)")
        phone.evaluate("import('/static/desk/case_stack.js').then(it => it.notice('Something to read'))")
        expect(phone.locator("#notices .notice")).to_be_in_viewport(ratio=1)

    def test_shows_the_first_case_of_the_queue_at_once(self, phone: Page) -> None:
        phone.goto("/queue/")

        expect(phone.locator(".table__row").first).to_be_in_viewport(ratio=1)
        assert phone.locator(".topbar").evaluate("bar => bar.offsetHeight") <= 72


class TestTwice:
    def test_half_the_window_is_left_for_the_post(self, page_of: Open, open_case: Case_, lead: User) -> None:
        for _ in range(14):
            open_case(text="It has quite some words. " * 40)
        page = page_of(lead)
        page.set_viewport_size(TWICE)
        page.goto("/review/")
        press_and_wait(page, "r")
        press_and_wait(page, "s")
        expect(page.locator(".undo")).to_be_visible()
        post = page.locator(".pane--post").bounding_box()
        bar = page.locator(".last").bounding_box()
        assert post is not None
        assert bar is not None

        assert bar["y"] - max(0, post["y"]) >= TWICE["height"] / 2
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def test_keys_of_what_has_no_room_act(self, page: Page) -> None:
        page.set_viewport_size(TWICE)
        page.keyboard.press("p")
        expect(page.locator("#pause")).to_be_visible()
        page.keyboard.press("Escape")

        page.keyboard.press("h")

        page.wait_for_url("**/queue/")


class TestPages:
    def test_break_no_word_and_hide_no_way(
        self, page_of: Open, full_desk: Case, reasons: dict[str, Reason], admin: User
    ) -> None:
        page = page_of(admin, has_touch=True, is_mobile=True)
        page.set_viewport_size(PHONE)
        found = {}
        for address in PAGES:
            page.goto(address)
            links = page.locator(".topbar__nav a")
            found[address] = (
                page.evaluate(BROKEN),
                page.evaluate("Math.max(0, document.documentElement.scrollWidth - 390)"),
                links.evaluate_all(
                    "links => links.filter(a => a.getBoundingClientRect().right > 390).length"
                ),
            )

        assert {address: told for address, told in found.items() if told != ([], 0, 0)} == {}
