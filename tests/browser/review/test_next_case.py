"""The next case is there at once; nothing is lost, and nothing is decided twice."""

import pytest
from playwright.sync_api import Page, Route, expect

from moderation.models import Decision, User
from tests.browser.review.review_page import in_front
from tests.browser.stage import Settle, Watch, press_and_wait, wait_for_decisions

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class TestNextCase:
    def test_comes_as_fast_as_the_keys(self, page: Page, watch: Watch) -> None:
        shown = [in_front(page)]
        for key in "sfs":
            page.keyboard.press(key)
            shown.append(in_front(page))
        wait_for_decisions(3)

        decided = Decision.objects.order_by("pk").values_list("case_id", "verdict")
        assert list(decided) == list(zip(map(int, shown[:3]), ["spam", "not_spam", "spam"], strict=True))
        assert watch.findings == []

    def test_stands_where_the_last_one_stood(self, page: Page) -> None:
        parts = ("#case-title", ".why", ".pane--model", "[data-key=s]", "[data-key=f]", ".reasons")
        before = [page.locator(part).first.bounding_box() for part in parts]
        press_and_wait(page, "s")
        expect(page.locator(".undo")).to_be_visible()
        after = [page.locator(part).first.bounding_box() for part in parts]

        assert [(box["x"], box["y"]) for box in before if box] == [
            (box["x"], box["y"]) for box in after if box
        ]


class TestFailure:
    def test_brings_all_of_them_back_in_their_order_with_the_reason(self, page: Page) -> None:
        page.route("**/decide/", lambda route: route.fulfill(status=500, body="no"))
        shown = []
        for key in "sf":
            shown.append(in_front(page))
            page.keyboard.press(key)
        expect(page.get_by_role("alert")).to_contain_text("could not be saved", timeout=30_000)
        page.unroute("**/decide/")

        assert in_front(page) == shown[0]
        press_and_wait(page, "f")
        assert in_front(page) == shown[1]
        wait_for_decisions(1)
        assert Decision.objects.get().case_id == int(shown[0])

    @pytest.mark.gate
    def test_of_the_answer_alone_decides_once(self, page: Page, settle: Settle) -> None:
        """Trial 2, in the browser: the decision is stored, its answer is lost, the page asks again."""
        lost: list[int] = []

        def lose_the_first_answer(route: Route) -> None:
            answer = route.fetch()
            if lost:
                route.fulfill(response=answer)
            else:
                lost.append(answer.status)
                route.abort()

        page.route("**/decide/", lose_the_first_answer)
        page.keyboard.press("s")
        expect(page.locator(".undo")).to_be_visible()
        wait_for_decisions(1)
        settle(page)  # it is asked a second time

        assert lost == [201]
        assert Decision.objects.count() == 1
        expect(page.locator("#notices .notice")).to_have_count(0)


class TestUndo:
    @pytest.mark.gate
    def test_right_after_the_key_takes_back_that_decision(self, page: Page) -> None:
        press_and_wait(page, "s")
        wait_for_decisions(1)
        expect(page.locator(".undo")).to_be_visible()
        second = in_front(page)
        page.keyboard.press("f")
        page.keyboard.press("u")
        page.wait_for_function("id => document.querySelector('[data-case]').dataset.case === id", arg=second)
        expect(page.locator("#announcements")).to_contain_text("Undone")

        assert list(Decision.objects.filter(reversal__isnull=False).values_list("case_id", flat=True)) == [
            int(second)
        ]

    def test_right_after_a_skip_takes_the_case_back(self, page: Page) -> None:
        press_and_wait(page, "s")
        wait_for_decisions(1)
        skipped = in_front(page)
        press_and_wait(page, "n")
        page.keyboard.press("u")
        page.wait_for_function("id => document.querySelector('[data-case]').dataset.case === id", arg=skipped)
        expect(page.locator("#announcements")).to_contain_text("Undone")

        assert not Decision.objects.filter(reversal__isnull=False).exists()
        press_and_wait(page, "f")
        wait_for_decisions(2)

    def test_waits_for_the_answer_of_the_very_first_decision(self, page: Page) -> None:
        held: list[Route] = []
        page.route("**/decide/", lambda route: held.append(route))  # noqa: PLW0108 - Playwright cannot mark a builtin
        first = in_front(page)
        with page.expect_request("**/decide/"):
            page.keyboard.press("s")
        page.keyboard.press("u")
        assert not Decision.objects.exists()
        held[0].continue_()

        expect(page.locator("#announcements")).to_contain_text("Undone")

        assert in_front(page) == first
        assert Decision.objects.get().reversal is not None

    def test_keeps_the_case_that_was_in_front_for_after(self, page: Page) -> None:
        press_and_wait(page, "s")
        expect(page.locator(".undo")).to_be_visible()
        second = in_front(page)
        press_and_wait(page, "u")

        press_and_wait(page, "f")

        assert in_front(page) == second


class TestSession:
    @pytest.mark.gate
    def test_that_ended_loses_nothing(self, page: Page, moderator: User) -> None:
        moderator.set_password("the moderator's own")
        moderator.save()
        page.context.clear_cookies()
        first = in_front(page)
        page.keyboard.press("s")
        expect(page.get_by_role("alert")).to_contain_text("Your session has ended")
        # The next one is shown before the server has answered, and gives way again.
        expect(page.locator("#current-case [data-case]").first).to_have_attribute("data-case", first)

        with page.context.expect_page() as opened:
            page.get_by_role("link", name="Sign in (opens a new tab)").click()
        opened.value.get_by_label("Name").fill("moderator")
        opened.value.get_by_label("Password").fill("the moderator's own")
        opened.value.keyboard.press("Enter")
        opened.value.wait_for_url("**/queue/")
        page.bring_to_front()
        press_and_wait(page, "s")

        wait_for_decisions(1)
        assert Decision.objects.get().case_id == int(first)
