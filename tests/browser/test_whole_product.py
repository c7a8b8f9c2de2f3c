"""A shift in the whole product: API, broker, workers, Triton, PostgreSQL, a browser."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser import whole
from tests.browser.stage import press_and_wait, wait_for_keys
from tests.browser.whole import desk_of
from tests.deploy.product import Product

__all__ = ["desk_of"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.faults,
    pytest.mark.xdist_group("product"),
    pytest.mark.timeout(600),
]
# What the tests below decide and hold, in any order, and a few more.
POSTS = 180


@pytest.fixture(scope="module")
def product() -> Iterator[Product]:
    """A running product with simulated posts, all of which wait for a human.

    Every test of this file takes a page: pytest puts tests that lack Playwright's session-wide parameter
    far from those that have it, and the product would be started twice.
    """
    with whole.running(posts=POSTS) as product:
        yield product


@pytest.fixture
def stored(product: Product) -> Callable[[], int]:
    """Count the decisions of people since the test began."""
    query = "SELECT count(*) FROM moderation_decision WHERE source = 'moderator'"
    before = int(str(whole.rows(product, query)[0][0]))
    return lambda: int(str(whole.rows(product, query)[0][0])) - before


def test_a_shift_without_a_mouse(
    desk_of: Callable[[str], Page], product: Product, stored: Callable[[], int]
) -> None:
    _hand_out_a_queue(desk_of("lead"))
    page = desk_of("moderator")

    press_and_wait(page, "r")
    expect(page.locator("#working")).to_contain_text("Evening shift")
    for number in range(40):
        press_and_wait(page, "sf"[number % 2])
        if number % 20 == 10:
            press_and_wait(page, "u")
            press_and_wait(page, "s")
    product.wait_until(lambda: stored() == 42, "all stored, two of them undone")

    page.keyboard.press("a")
    expect(page.locator(".beside")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".beside")).to_be_hidden()
    page.keyboard.press("m")
    page.keyboard.type("Asked about at the handover")
    page.keyboard.press("Enter")
    expect(page.locator(".case-notes")).to_contain_text("Asked about at the handover")

    _by_palette(page, "queue")
    picked = page.locator("#bulk [data-picked]")
    while picked.text_content() != "20":  # cases that are held have no box
        page.keyboard.press("j")
        page.keyboard.press("x")
    _tab_to(page, "All spam")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("20 cases decided together")
    assert stored() == 62

    [(external_id,)] = whole.rows(product, _REMOVED)
    page.keyboard.press("/")
    expect(page.locator("input[name=q]")).to_be_focused()
    page.keyboard.type(str(external_id))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/posts/\d+/$"))
    expect(page.locator("#main")).to_contain_text("Mona Moderator")


_REMOVED = (
    "SELECT p.external_id FROM moderation_post p JOIN moderation_decision d ON d.post_id = p.id"
    " WHERE d.source = 'moderator' AND d.verdict = 'spam' ORDER BY d.id DESC LIMIT 1"
)


def _hand_out_a_queue(page: Page) -> None:
    """Name a queue of all that the simulated platform sends and assign it to the moderator."""
    page.goto("/queues/")
    page.locator("input[name=name]").last.fill("Evening shift")
    page.locator("select[name=platform]").last.select_option(index=1)
    page.get_by_role("button", name="Add queue").click()
    page.locator("select[name=user]").select_option(label="Mona Moderator")
    page.get_by_role("button", name="Assign", exact=True).click()
    expect(page.locator(".named-queue__people").first).to_contain_text("Mona Moderator")


def _by_palette(page: Page, letters: str) -> None:
    wait_for_keys(page)
    page.keyboard.press("Control+k")
    page.keyboard.type(letters)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{letters}/")


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until a button of this name has the focus."""
    for _ in range(300):
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never leads to {name}")
