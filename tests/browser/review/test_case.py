"""The case in front: its reasons, its explanation, and how a moderator wants to see it."""

import pytest
from playwright.sync_api import Page, Route, expect

from moderation.models import Case, CaseNote, Decision, Mention, Score, User
from moderation.models.cases import CaseState
from tests.browser.review.review_page import in_front, reload
from tests.browser.stage import Settle, Watch, press_and_wait, violations, wait_for_ahead, wait_for_decisions
from tests.django_fixtures import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.usefixtures("reasons")
class TestReasons:
    @pytest.mark.gate
    def test_take_one_more_key_and_those_of_the_decision_before_one_too(self, page: Page) -> None:
        reload(page)
        expect(page.locator("[data-key=q]:visible")).to_have_count(0)
        page.keyboard.press("2")
        page.keyboard.press("1")
        press_and_wait(page, "s")
        page.keyboard.press("q")
        expect(page.locator("input[name=reason]:checked")).to_have_value("scam")
        page.keyboard.press("q")  # takes it back, as the digit does
        press_and_wait(page, "s")
        page.keyboard.press("q")
        press_and_wait(page, "s")
        wait_for_decisions(3)

        given = Decision.objects.order_by("decided_at").values_list("reason", flat=True)
        assert list(given) == ["scam", "", "scam"]

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


class TestPreferences:
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

    def test_suggests_a_break_after_so_many_cases(self, page: Page, settle: Settle) -> None:
        User.objects.update(stored_preferences={"break_cases": 50})
        reload(page)
        counted = "JSON.stringify({since: Date.now() - 60000, cases: 49, last: Date.now()})"
        page.evaluate(f"localStorage.setItem('spamdesk-break', {counted})")

        press_and_wait(page, "s")

        wait_for_decisions(1)
        settle(page)  # the answer must not take the suggestion away
        expect(page.locator("#notices")).to_contain_text("50 cases in 1 min without a break")


@pytest.mark.gate
class TestExplanation:
    def test_fills_in_when_it_is_found(self, page: Page) -> None:
        expect(page.locator("[data-explaining]")).to_be_visible()

        Score.objects.update(word_contributions=[[0, 4, 1.0]])

        expect(page.locator(".word--spam-3")).to_have_text("Post")
        assert Case.objects.filter(state=CaseState.OPEN).count() == 14


class TestNames:
    """Whom a note names after an @."""

    @pytest.fixture(autouse=True)
    def _colleagues(self, db: None) -> None:
        for name in ("mona", "moritz", "<b>mo"):
            User.objects.create_user(name, role="moderator", first_name="Ann", last_name=f"\u202e{name}")

    def test_are_completed_by_keyboard(self, page: Page, watch: Watch) -> None:
        first = in_front(page)
        field = page.locator(".case-notes__new input[name=note]")
        page.locator(".case-notes__new summary").click()
        field.press_sequentially("ask @mo")
        names = page.get_by_role("listbox", name="Who can be mentioned").get_by_role("option")
        expect(names).to_have_count(3)  # the role, and two that can be written after an @
        assert violations(page) == []
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"):
            page.keyboard.press(key)
        expect(names.nth(2)).to_have_attribute("aria-selected", "true")
        assert field.get_attribute("aria-activedescendant") == names.nth(2).get_attribute("id")

        page.keyboard.press("Enter")

        expect(field).to_have_value("ask @moritz ")
        expect(names).to_have_count(0)
        assert field.get_attribute("role") is None
        page.keyboard.press("Enter")
        wait_until(lambda: CaseNote.objects.filter(text="ask @moritz").exists())
        assert Mention.objects.get().user == User.objects.get(username="moritz")
        assert in_front(page) == first
        assert not Decision.objects.exists()
        assert watch.findings == []

    def test_are_offered_for_what_was_typed_before_the_list_was_loaded(
        self, page: Page, watch: Watch
    ) -> None:
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/mention_names*.js", hold)
        page.locator(".case-notes__new summary").click()
        page.locator(".case-notes__new input[name=note]").press_sequentially("ask @mo")
        page.wait_for_function("document.activeElement.value === 'ask @mo'")
        [asked] = held

        asked.continue_()

        expect(page.locator("#mention-names").get_by_role("option")).to_have_count(3)
        assert watch.findings == []

    def test_are_put_away_by_escape_and_nothing_else_is(self, page: Page) -> None:
        page.keyboard.press("e")
        field = page.locator("#escalation input[name=note]")
        field.press_sequentially("for @mo")
        names = page.locator("#mention-names")
        expect(names).to_be_visible()

        page.keyboard.press("Escape")

        expect(names).to_have_count(0)
        expect(page.locator("#escalation")).to_be_visible()
        expect(field).to_have_value("for @mo")
        page.keyboard.press("Escape")
        expect(page.locator("#escalation")).to_be_hidden()

    def test_are_taken_by_the_pointer_and_not_offered_within_a_word(self, page: Page, settle: Settle) -> None:
        field = page.locator(".case-notes__new input[name=note]")
        page.locator(".case-notes__new summary").click()
        field.press_sequentially("mail a@mo")
        settle(page)
        expect(page.locator("#mention-names")).to_have_count(0)
        field.press_sequentially(" @mon")

        page.get_by_role("option", name="@mona").click()

        expect(field).to_have_value("mail a@mo @mona ")
        expect(field).to_be_focused()
