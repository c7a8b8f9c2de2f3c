"""Lists and the filter of the queue, by keyboard: it stays while one works, and can be taken off."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from moderation.models import Case, User
from tests.browser.stage import (
    MARKUP,
    Open,
    Watch,
    press_and_wait,
    violations,
    wait_for_decisions,
    wait_for_keys,
)
from tests.moderation.conftest import Case_

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# The widest room between what two neighbouring cells of a row hold.
WIDEST_GAP = """() => Math.max(...[...document.querySelectorAll('#rows tbody tr')].map(row => {
  const boxes = [...row.cells].map(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect();
  });
  return Math.max(...boxes.slice(1).map((box, place) => box.left - boxes[place].right));
}))"""


@pytest.fixture
def page(page_of: Open, open_case: Case_, lead: User) -> Page:
    """A lead's queue with three cases."""
    for number in range(3):
        open_case(text=f"Post number {number} {MARKUP[number]}")
    page = page_of(lead)
    page.goto("/queue/")
    wait_for_keys(page)
    return page


class TestRows:
    def test_j_and_k_go_down_and_up_and_enter_opens(self, page: Page, watch: Watch) -> None:
        links = page.locator("#rows .table__link")
        for key, row in (("j", 0), ("j", 1), ("j", 2), ("j", 2), ("k", 1)):
            page.keyboard.press(key)
            expect(links.nth(row)).to_be_focused()
        wanted = links.nth(1).get_attribute("href")

        page.keyboard.press("Enter")

        page.wait_for_url(f"**{wanted}")
        assert watch.findings == []

    def test_j_is_a_letter_where_one_types(self, page: Page) -> None:
        field = page.get_by_label("Domain")
        field.focus()
        page.keyboard.press("j")

        expect(field).to_have_value("j")
        expect(field).to_be_focused()


class TestRoom:
    """What a large screen gives a list."""

    def test_is_used_by_words_that_stand_whole_without_a_gap_between_columns(
        self, page_of: Open, open_case: Case_, lead: User
    ) -> None:
        for number in range(3):
            open_case(text=f"{number} " + "Préstamos de 426 € a 440 € al 2 % para todos. " * 3, language="es")
        page = page_of(lead)
        page.set_viewport_size({"width": 1920, "height": 1080})
        page.goto("/queue/")

        status = page.locator(".table__claim .soft").first
        assert status.evaluate("one => one.getClientRects().length") == 1
        assert page.evaluate(WIDEST_GAP) < 400
        assert page.locator(".table__row").first.evaluate("row => row.offsetHeight") < 80


class TestSearch:
    def test_is_one_key_away(self, page: Page) -> None:
        page.keyboard.press("/")
        page.wait_for_url("**/posts/#search")
        expect(page.locator("input[name=q]")).to_be_focused()

        page.keyboard.type("number")
        with page.expect_response(lambda answer: "q=number" in answer.url):
            page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.locator("body").click(position={"x": 5, "y": 5})
        page.keyboard.press("/")
        expect(page.locator("input[name=q]")).to_be_focused()


class TestPalette:
    @pytest.mark.gate
    def test_leads_to_a_page_by_a_few_letters(self, page: Page, watch: Watch) -> None:
        page.keyboard.press("Control+k")
        expect(page.locator("#palette")).to_be_visible()
        assert violations(page) == []
        page.keyboard.type("nmq")
        expect(page.locator("#palette [aria-selected=true]")).to_have_text("Named queues")

        page.keyboard.press("Enter")

        page.wait_for_url("**/queues/")
        assert watch.findings == []

    def test_does_what_can_be_done_here(self, page: Page) -> None:
        page.keyboard.press("Control+k")
        page.keyboard.type("start")
        page.keyboard.press("Enter")

        page.wait_for_url(re.compile(r".*/review/\d+/"))

    def test_keeps_keys_that_come_before_its_script(self, page: Page) -> None:
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/palette*.js", hold)
        with page.expect_request("**/palette*.js"):
            page.keyboard.press("Control+k")
        page.keyboard.type("zzz <b>")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        held.pop().continue_()

        page.wait_for_url("**/authors/?q=zzz+%3Cb%3E")

    @pytest.mark.parametrize(("place", "found"), enumerate(("posts", "authors", "domains", "rules")))
    def test_searches_for_what_is_no_page(self, page: Page, place: int, found: str) -> None:
        page.keyboard.press("Control+k")
        page.keyboard.type("zzz <b>")
        expect(page.locator("#palette [role=option]")).to_have_count(4)
        for _ in range(place):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")

        page.wait_for_url(f"**/{found}/?q=zzz+%3Cb%3E")
        expect(page.locator("input[name=q]")).to_have_value("zzz <b>")

    def test_closes_by_escape_and_leaves_the_page_alone(self, page: Page) -> None:
        page.keyboard.press("Control+k")
        page.keyboard.press("Escape")

        expect(page.locator("#palette")).to_be_hidden()
        assert page.url.endswith("/queue/")

    def test_is_not_there_where_keys_are_off(self, page: Page, lead: User) -> None:
        lead.stored_preferences = {"is_keys_on": False}
        lead.save()
        page.reload()
        page.keyboard.press("Control+k")

        expect(page.locator("#palette")).to_be_hidden()


class TestPicking:
    @pytest.mark.gate
    def test_by_keyboard_decides_and_undoes_all(self, page: Page, watch: Watch) -> None:
        for _ in range(2):
            page.keyboard.press("j")
            page.keyboard.press("x")
        bar = page.locator("#bulk")
        expect(bar).to_contain_text("2 selected")
        assert violations(page) == []

        page.get_by_role("button", name="All spam").click()
        page.wait_for_url("**/queue/decided/**")
        expect(page.get_by_role("heading", level=1)).to_have_text("2 cases decided together")
        assert Case.objects.filter(state="open").count() == 1

        page.wait_for_load_state()  # with the scripts that know the keys
        page.keyboard.press("u")
        expect(page.locator(".page__lead")).to_contain_text("all of them are waiting again")
        assert Case.objects.filter(state="open").count() == 3
        assert watch.findings == []

    def test_takes_all_of_a_page_and_none(self, page: Page) -> None:
        page.get_by_label("Select all on this page").check()
        expect(page.locator("#bulk")).to_contain_text("3 selected")

        page.get_by_role("button", name="Clear selection").click()

        expect(page.locator("#bulk")).to_be_hidden()


@pytest.mark.gate
def test_steers_the_work_until_it_is_taken_off(
    page_of: Open, open_case: Case_, moderator: User, watch: Watch
) -> None:
    german = [open_case(text=f"Beitrag {number}").pk for number in range(3)]
    english = [open_case(text=f"Post {number}").pk for number in range(3)]
    Case.objects.filter(pk__in=german).update(language="de", priority=0.01)
    Case.objects.filter(pk__in=english).update(language="en")
    page = page_of(moderator)
    page.goto("/queue/")
    with page.expect_response(lambda answer: "language=de" in answer.url):
        page.get_by_label("Language").select_option("de")
    expect(page.locator("#rows tbody tr")).to_have_count(3)

    press_and_wait(page, "r")
    chip = page.locator("#working")
    expect(chip).to_contain_text("language de")
    expect(chip).to_contain_text("3 left")
    press_and_wait(page, "s")
    expect(chip).to_contain_text("2 left")
    press_and_wait(page, "s")
    press_and_wait(page, "s")
    wait_for_decisions(3)
    expect(chip).to_contain_text("0 left")
    assert not Case.objects.filter(pk__in=german, state="open").exists()

    page.get_by_role("button", name="Work on everything").click()
    page.wait_for_url("**/review/*/")
    expect(chip).to_be_empty()
    assert int(page.url.rstrip("/").rpartition("/")[2]) in english
    assert watch.findings == []
