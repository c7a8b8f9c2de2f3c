"""Reading the case in front: what is large, what stands open, what is said of it, and what is not saved."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from moderation.models import Case, Decision, User
from tests.browser.review.review_page import in_front, reload
from tests.browser.stage import (
    MARKUP,
    Open,
    Settle,
    Watch,
    explain,
    press_and_wait,
    violations,
    wait_for_decisions,
)
from tests.moderation.conftest import Case_

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Sizes of every text that can be seen in the case, but for the caps of keys.
SMALL = """least => {
  const post = document.querySelector('#current-case article');
  const walker = document.createTreeWalker(post, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest('kbd, .only-heard, title') || !parent.checkVisibility()) continue;
    if (parseFloat(getComputedStyle(parent).fontSize) < least) found.push(node.data.trim());
  }
  return found;
}"""


class TestSizes:
    def test_let_one_read_the_post_and_compare_bars(
        self, page_of: Open, counted_case: Case, lead: User
    ) -> None:
        explain(counted_case)
        page = page_of(lead)
        page.goto(f"/review/{counted_case.pk}/")
        bars = page.locator(".contributions").first.locator(".contributions__bar")
        assert bars.count() <= 3
        assert bars.first.evaluate("e => e.getBoundingClientRect().width / 2") >= 5 * 28
        page.keyboard.press("x")

        assert page.locator("#post-text .post-text").evaluate("e => getComputedStyle(e).fontSize") == "20px"
        assert page.evaluate(SMALL, 14) == []


class TestAround:
    @pytest.mark.parametrize(
        ("width", "height"), [(1440, 900), pytest.param(1920, 1080, marks=pytest.mark.long)]
    )
    def test_stands_open_where_there_is_room(
        self, page_of: Open, counted_case: Case, lead: User, watch: Watch, width: int, height: int
    ) -> None:
        page = page_of(lead)
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"/review/{counted_case.pk}/")

        expect(page.locator(".around .lanes")).to_be_visible()
        expect(page.locator(".around .beside__post").first).to_be_in_viewport(ratio=1)
        assert not page.locator("[data-opens-context]").is_visible()
        assert page.evaluate(SMALL, 14) == []
        assert violations(page) == []
        assert watch.findings == []

    def test_is_asked_for_by_no_case_that_is_decided_at_once(self, page: Page, settle: Settle) -> None:
        page.set_viewport_size({"width": 1920, "height": 1080})
        expect(page.locator(".around .lanes")).to_be_visible()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "/around/" in request.url else None)

        for key in "sfs":
            page.keyboard.press(key)
        last = in_front(page)
        wait_for_decisions(3)
        expect(page.locator(".around .lanes")).to_be_visible()
        settle(page)

        assert [re.findall(r"/review/(\d+)/", url) for url in asked] == [[last]]

    def test_is_not_asked_for_on_a_small_screen(self, page: Page, settle: Settle) -> None:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "/around/" in request.url else None)
        press_and_wait(page, "s")
        page.wait_for_timeout(500)
        settle(page)

        assert asked == []


@pytest.mark.usefixtures("reasons")
class TestContradiction:
    def test_is_told_and_settled_by_the_same_key_or_by_the_other(self, page: Page, settle: Settle) -> None:
        reload(page)
        first = in_front(page)
        for key in "111f":  # taken back, given again, and contradicted
            page.keyboard.press(key)
        settle(page)

        expect(page.locator("#notices .notice")).to_contain_text("goes with “spam”")
        expect(page.locator("#announcements")).to_contain_text("goes with “spam”")
        expect(page.locator(".reason--contradicts")).to_have_count(1)
        assert in_front(page) == first
        assert not Decision.objects.exists()
        press_and_wait(page, "f")
        for key in "1f":
            page.keyboard.press(key)
        press_and_wait(page, "s")
        wait_for_decisions(2)

        decided = Decision.objects.order_by("pk").values_list("verdict", "reason")
        assert list(decided) == [("not_spam", ""), ("spam", "scam")]
        expect(page.locator("#notices .notice")).to_have_count(0)


class TestUnsaved:
    def test_is_told_at_once_while_the_desk_cannot_be_reached(self, page: Page) -> None:
        page.route("**/decide/", lambda route: route.abort())
        press_and_wait(page, "s")

        expect(page.locator("#unsaved")).to_be_visible(timeout=500)

        page.unroute("**/decide/")
        wait_for_decisions(1)
        expect(page.locator("#unsaved")).to_be_hidden()

    def test_is_told_where_the_desk_is_slow(self, page: Page) -> None:
        held: list[Route] = []
        page.route("**/decide/", lambda route: held.append(route))  # noqa: PLW0108 - Playwright cannot mark a builtin
        press_and_wait(page, "s")
        expect(page.locator("#unsaved")).to_be_visible()

        held[0].continue_()

        expect(page.locator("#unsaved")).to_be_hidden()
        wait_for_decisions(1)

    def test_is_not_told_of_what_is_saved_at_once(self, page: Page, settle: Settle) -> None:
        press_and_wait(page, "s")
        wait_for_decisions(1)
        settle(page)
        page.wait_for_timeout(1_200)

        expect(page.locator("#unsaved")).to_be_hidden()


class TestAnnouncement:
    def test_names_the_author_and_the_first_words(self, page: Page) -> None:
        press_and_wait(page, "s")

        said = page.locator("#announcements")
        case = Case.objects.get(pk=in_front(page))
        expect(said).to_contain_text(f"Decided: spam. Next case: {case.post.author}")
        expect(said).to_contain_text(case.score.revision.text)

    def test_waits_for_a_case_that_comes_with_the_answer(
        self, page_of: Open, open_case: Case_, moderator: User
    ) -> None:
        for number in range(2):
            open_case(text=f"Post number {number}")
        page = page_of(moderator)
        page.goto("/review/")
        press_and_wait(page, "r")
        press_and_wait(page, "s")

        expect(page.locator("#announcements")).to_contain_text("Post number")


class TestPresence:
    def test_is_seen_by_the_first_person_within_eight_seconds_by_name(
        self, page: Page, page_of: Open, lead: User
    ) -> None:
        User.objects.filter(pk=lead.pk).update(first_name="Lena", last_name="Lead")
        reader = page_of(lead)
        reader.goto(f"/review/{in_front(page)}/")
        expect(reader.locator(".decided")).to_contain_text("is reviewing this case")

        expect(page.locator("[data-presence]")).to_contain_text("Lena Lead", timeout=8_000)


class TestIds:
    def test_are_copied_as_the_platform_gave_them(self, page: Page, watch: Watch) -> None:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        press_and_wait(page, "s")  # a case that came without a page of its own
        case = Case.objects.get(pk=in_front(page))
        page.locator(".post-ids").get_by_role("button", name="Copy").first.click()

        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == case.post.external_id
        assert watch.findings == []


class TestContrast:
    def test_is_kept_where_the_system_forces_colours_or_asks_for_more(
        self, page_of: Open, counted_case: Case, lead: User
    ) -> None:
        explain(counted_case)
        page = page_of(lead)
        page.goto(f"/review/{counted_case.pk}/")
        soft = "getComputedStyle(document.querySelector('.soft')).color"
        before = page.evaluate(soft)

        page.emulate_media(contrast="more")
        assert page.evaluate(soft) != before
        assert violations(page) == []

        page.emulate_media(contrast=None, forced_colors="active")
        fill = "getComputedStyle(document.querySelector('.contributions .fill--spam')).fill"
        ink = "getComputedStyle(document.body).color"
        assert page.evaluate(fill) == page.evaluate(ink)


@pytest.mark.gate
class TestHostile:
    def test_nothing_runs_in_what_stands_around(
        self, page_of: Open, open_case: Case_, lead: User, watch: Watch
    ) -> None:
        cases = [open_case(text=payload) for payload in MARKUP]
        page = page_of(lead)
        page.set_viewport_size({"width": 1920, "height": 1080})
        page.goto(f"/review/{cases[-1].pk}/")
        expect(page.locator(".around .beside__post").first).to_be_visible()
        page.mouse.move(1_800, 300)

        assert watch.findings == []
