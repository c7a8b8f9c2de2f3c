"""A shift in the browser: the next case at once, nothing lost, never two decisions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from moderation.models import Case, Decision, Reason, Score, User
from moderation.models.cases import CaseState, Verdict
from moderation.operations.cases import claims, page_leases, review, shift
from tests.browser.stage import Watch, press_and_wait, wait_for_ahead, wait_for_decisions, wait_until
from tests.moderation.web.conftest import reasons  # noqa: F401 - the same policy as in the app's own tests

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Page]
Case_ = Callable[..., Case]


@pytest.fixture
def page(page_of: Open, open_case: Case_, moderator: User) -> Page:
    """A moderator's page with one case in front and three behind it."""
    for number in range(14):
        open_case(text=f"Post number {number}")
    page = page_of(moderator)
    page.goto("/review/")
    press_and_wait(page, "r")
    wait_for_ahead(page)
    return page


def reload(page: Page) -> None:
    """Load the page anew and wait until it has its cases again."""
    page.evaluate("document.getElementById('desk').dataset.held = ''")
    page.reload()
    wait_for_ahead(page)


def in_front(page: Page) -> str:
    """The case in front."""
    return str(page.evaluate("document.querySelector('#front [data-case]')?.dataset.case ?? ''"))


def after_leaving(monkeypatch: pytest.MonkeyPatch, act: str) -> Event:
    """Let the server hear that the page was left before it takes the act; the event tells that it did."""
    is_left, is_taken = Event(), Event()
    take, leave_page = getattr(shift, act), page_leases.page

    def take_late(**given: Any) -> Any:
        assert is_left.wait(20)
        taken = take(**given)
        is_taken.set()
        return taken

    def leave_and_tell(**given: Any) -> None:
        leave_page(**given)
        is_left.set()

    monkeypatch.setattr(shift, act, take_late)
    monkeypatch.setattr(page_leases, "page", leave_and_tell)
    return is_taken


def nothing_is_claimed() -> bool:
    return not Case.objects.filter(claimed_by__isnull=False).exists()


class TestNextCase:
    def test_is_in_front_before_the_server_answers(self, page: Page) -> None:
        held: list[Route] = []
        page.route("**/decide/", lambda route: held.append(route))  # noqa: PLW0108 - Playwright cannot mark a builtin
        first = in_front(page)

        page.keyboard.press("s")
        page.wait_for_function(
            "before => document.querySelector('[data-case]').dataset.case !== before", arg=first
        )

        assert not Decision.objects.exists()
        held[0].continue_()
        wait_for_decisions(1)
        assert Decision.objects.get().case_id == int(first)

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
        expect(page.get_by_role("alert")).to_contain_text("failed to save", timeout=30_000)
        page.unroute("**/decide/")

        assert in_front(page) == shown[0]
        press_and_wait(page, "f")
        assert in_front(page) == shown[1]
        wait_for_decisions(1)
        assert Decision.objects.get().case_id == int(shown[0])

    def test_of_the_answer_alone_decides_once(self, page: Page) -> None:
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
        page.wait_for_timeout(500)  # for the second time that it is asked

        assert lost == [201]
        assert Decision.objects.count() == 1
        expect(page.locator("#notices .notice")).to_have_count(0)


class TestUndo:
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

    def test_waits_for_the_answer_of_the_very_first_decision(self, page: Page) -> None:
        def answer_late(route: Route) -> None:
            page.wait_for_timeout(1_000)
            route.continue_()

        page.route("**/decide/", answer_late)
        first = in_front(page)
        page.keyboard.press("s")
        page.keyboard.press("u")

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


class TestLease:
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
            "other_moderator decided this case before: not spam."
        )
        expect(page.locator(".decided")).to_contain_text("not spam")
        assert in_front(page) == str(case.pk)
        assert Decision.objects.count() == 1
        press_and_wait(page, "r")
        expect(page.locator("[data-key=s]")).to_be_visible()

    def test_is_kept_alive_by_the_heartbeat(
        self, page_of: Open, open_case: Case_, moderator: User, settings: Any
    ) -> None:
        settings.LEASE_SECONDS = 3
        case = open_case()
        page = page_of(moderator)
        page.goto(f"/review/{case.pk}/")
        page.keyboard.press("r")
        page.wait_for_selector("[data-claim]")
        case.refresh_from_db()
        assert case.lease_end_at is not None
        later = case.lease_end_at + timedelta(seconds=settings.LEASE_SECONDS)

        wait_until(lambda: Case.objects.filter(pk=case.pk, lease_end_at__gt=later).exists())

    def test_of_everything_is_given_back_when_the_page_is_left(self, page: Page) -> None:
        assert Case.objects.filter(claimed_by__isnull=False).count() == 4

        page.goto("about:blank")

        wait_until(nothing_is_claimed)

    def test_of_what_comes_after_a_decision_on_its_way_too(
        self, page: Page, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        after_leaving(monkeypatch, "decide")

        with page.expect_request("**/decide/"):
            page.keyboard.press("s")
        page.close()

        wait_for_decisions(1)
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

    def test_shows_who_reads_along(self, page: Page, page_of: Open, lead: User) -> None:
        reader = page_of(lead)
        reader.goto(f"/review/{in_front(page)}/")
        expect(reader.locator(".decided")).to_contain_text("moderator is looking at this case")

        def is_told() -> bool:
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # asks now, not in 15 s
            return "lead reads along" in page.locator("[data-presence]").inner_text()

        wait_until(is_told)


class TestSession:
    def test_that_ended_loses_nothing(self, page: Page, moderator: User) -> None:
        moderator.set_password("the moderator's own")
        moderator.save()
        page.context.clear_cookies()
        first = in_front(page)
        page.keyboard.press("s")
        expect(page.get_by_role("alert")).to_contain_text("Your session has ended")
        # The next one is shown before the server has answered, and gives way again.
        expect(page.locator("#front [data-case]").first).to_have_attribute("data-case", first)

        with page.context.expect_page() as opened:
            page.get_by_role("link", name="Sign in in a new tab").click()
        opened.value.get_by_label("Name").fill("moderator")
        opened.value.get_by_label("Password").fill("the moderator's own")
        opened.value.keyboard.press("Enter")
        opened.value.wait_for_url("**/queue/")
        page.bring_to_front()
        press_and_wait(page, "s")

        wait_for_decisions(1)
        assert Decision.objects.get().case_id == int(first)


class TestReasons:
    @pytest.fixture(autouse=True)
    def _policy(self, reasons: dict[str, Reason]) -> None:  # noqa: F811
        """The policy must stand before the page is opened."""

    def test_take_one_more_key(self, page: Page) -> None:
        reload(page)
        page.keyboard.press("1")
        press_and_wait(page, "s")
        wait_for_decisions(1)

        assert Decision.objects.get().reason == "scam"

    def test_are_taken_back_and_dropped_by_the_other_verdict(self, page: Page) -> None:
        reload(page)
        page.keyboard.press("1")
        page.keyboard.press("1")
        press_and_wait(page, "s")
        page.keyboard.press("1")
        press_and_wait(page, "f")
        wait_for_decisions(2)

        assert set(Decision.objects.values_list("reason", flat=True)) == {""}

    def test_ask_for_a_note_where_the_policy_does(self, page: Page) -> None:
        reload(page)
        page.keyboard.press("6")
        page.keyboard.type("sells seats, s f u")
        press_and_wait(page, "Enter")
        wait_for_decisions(1)

        decision = Decision.objects.get()
        assert (decision.reason, decision.note, decision.verdict) == (
            "other_spam",
            "sells seats, s f u",
            "spam",
        )


class TestComfort:
    def test_own_keys_act_and_the_standard_ones_do_not(self, page: Page) -> None:
        User.objects.update(comfort_settings={"keys": {"spam": "j"}})
        reload(page)
        page.keyboard.press("s")
        page.wait_for_timeout(300)
        assert not Decision.objects.exists()

        press_and_wait(page, "j")

        wait_for_decisions(1)

    def test_blurs_until_asked(self, page: Page) -> None:
        User.objects.update(comfort_settings={"blur": "always"})
        page.reload()
        expect(page.locator(".case--blurred")).to_have_count(1)

        page.keyboard.press("b")

        expect(page.locator(".case--blurred")).to_have_count(0)

    def test_a_pause_covers_the_page_and_keeps_the_case(self, page: Page) -> None:
        first = in_front(page)
        page.keyboard.press("p")
        expect(page.locator("#pause")).to_be_visible()
        page.keyboard.press("s")
        assert Case.objects.filter(claimed_by__isnull=False).count() == 1

        page.keyboard.press("Enter")

        expect(page.locator("#pause")).to_be_hidden()
        wait_for_ahead(page)
        assert in_front(page) == first
        assert not Decision.objects.exists()

    def test_suggests_a_break_after_so_many_cases(self, page: Page) -> None:
        User.objects.update(comfort_settings={"break_cases": 50})
        reload(page)
        counted = "JSON.stringify({since: Date.now() - 60000, cases: 49, last: Date.now()})"
        page.evaluate(f"localStorage.setItem('spamdesk-break', {counted})")

        press_and_wait(page, "s")

        wait_for_decisions(1)
        page.wait_for_timeout(500)  # the answer must not take the suggestion away
        expect(page.locator("#notices")).to_contain_text("50 cases in 1 min without one")

    def test_context_opens_and_closes_without_leaving_the_case(self, page: Page) -> None:
        first = in_front(page)
        page.keyboard.press("c")
        expect(page.locator(".lanes")).to_be_visible()
        page.keyboard.press("c")

        expect(page.locator(".lanes")).to_be_hidden()
        assert in_front(page) == first


class TestExplanation:
    def test_fills_in_when_it_is_found(self, page: Page) -> None:
        expect(page.locator("[data-explaining]")).to_be_visible()

        Score.objects.update(word_contributions=[[0, 4, 1.0]])

        expect(page.locator(".word--spam-3")).to_have_text("Post")
        assert Case.objects.filter(state=CaseState.OPEN).count() == 14
