"""The shift by keyboard alone."""

import pytest
from playwright.sync_api import Page, expect

from moderation.models import Case, Decision, DeskSettings, User
from moderation.models.cases import CaseState
from tests.browser.stage import Open, Settle, Watch, press_and_wait, wait_for_decisions, wait_for_keys
from tests.django_fixtures import wait_until
from tests.moderation.conftest import Case_

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(page_of: Open, open_case: Case_, moderator: User) -> Page:
    """A moderator's page with three cases waiting."""
    for number in range(3):
        open_case(text=f"Post number {number}")
    page = page_of(moderator)
    page.goto("/queue/")
    return page


class TestKeys:
    @pytest.mark.gate
    def test_decide_ten_posts(self, page: Page, open_case: Case_, watch: Watch) -> None:
        for number in range(3, 12):
            open_case(text=f"Post number {number}")
        press_and_wait(page, "r")

        for number in range(10):
            press_and_wait(page, "sf"[number % 2])

        wait_for_decisions(10)
        verdicts = list(Decision.objects.order_by("decided_at").values_list("verdict", flat=True))
        assert verdicts == ["spam", "not_spam"] * 5
        assert Case.objects.filter(state=CaseState.OPEN).count() == 2
        assert watch.findings == []

    def test_undo_is_over_when_its_countdown_is(self, page: Page, remembered: DeskSettings) -> None:
        remembered.undo_seconds = 5  # longer than a loaded server takes to answer
        press_and_wait(page, "r")
        press_and_wait(page, "s")

        expect(page.get_by_text("Sent to the platform.")).to_be_visible()
        page.keyboard.press("u")

        expect(page.locator("[data-key=u]")).to_be_hidden()
        assert not hasattr(Decision.objects.get(), "reversal")

    def test_skip_and_escalate(self, page: Page) -> None:
        press_and_wait(page, "r")
        press_and_wait(page, "n")

        page.keyboard.press("e")
        expect(page.get_by_label("What should the lead know?")).to_be_focused()
        page.keyboard.type("fishy s f s")
        press_and_wait(page, "Enter")

        wait_until(lambda: Case.objects.filter(is_escalated=True).count() == 1)
        assert not Decision.objects.exists()
        assert Case.objects.exclude(skipped_by=[]).count() == 1

    def test_do_nothing_while_typing_with_modifiers_or_when_switched_off(
        self, page: Page, settle: Settle
    ) -> None:
        press_and_wait(page, "r")
        page.keyboard.press("Control+s")
        page.keyboard.press("Alt+f")
        page.keyboard.press("Shift+?")
        page.keyboard.press("s")
        expect(page.locator("#key-map")).to_be_visible()
        page.keyboard.press("Escape")
        User.objects.update(stored_preferences={"is_keys_on": False})
        page.reload()
        page.keyboard.press("s")
        settle(page)

        assert not Decision.objects.exists()

    def test_act_unseen_where_their_hints_are_hidden(self, page: Page) -> None:
        User.objects.update(stored_preferences={"is_hints_on": False})
        press_and_wait(page, "r")

        expect(page.locator("[data-key=s] kbd")).to_be_hidden()
        page.keyboard.press("?")
        expect(page.locator(".key-map kbd").first).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("s")

        wait_for_decisions(1)

    def test_a_held_key_decides_once(self, page: Page, settle: Settle) -> None:
        press_and_wait(page, "r")
        page.keyboard.down("s")
        for _ in range(5):
            page.keyboard.down("s")
        page.keyboard.up("s")
        wait_for_decisions(1)
        settle(page)

        assert Decision.objects.count() == 1


class TestFailures:
    @pytest.mark.long
    def test_a_lost_connection_loses_nothing(self, page: Page) -> None:
        press_and_wait(page, "r")
        page.wait_for_function("() => document.documentElement.hasAttribute('data-listens')")
        page.context.set_offline(True)

        page.keyboard.press("s")
        expect(page.get_by_role("alert")).to_contain_text("No connection to the server")
        page.context.set_offline(False)
        press_and_wait(page, "s")

        expect(page.get_by_role("alert")).to_be_hidden()
        assert Decision.objects.count() == 1

    def test_what_loads_by_itself_and_fails_is_no_act_to_repeat(self, page: Page) -> None:
        press_and_wait(page, "r")
        page.route("**/now/", lambda route: route.abort())

        with page.expect_event("requestfailed", lambda request: request.url.endswith("/now/")):
            press_and_wait(page, "s")
        expect(page.get_by_role("alert")).to_be_hidden()

        page.unroute("**/now/")
        with page.expect_response("**/now/"):
            press_and_wait(page, "f")

    def test_a_reload_keeps_the_case(self, page: Page, settle: Settle) -> None:
        press_and_wait(page, "r")
        address = page.url

        with page.expect_response("**/claim/"):  # the page that was left gave the case back
            page.reload()
        settle(page)

        assert page.url == address
        expect(page.locator("[data-key=s]")).to_be_enabled()  # the answer is in the page
        press_and_wait(page, "s")
        wait_for_decisions(1)

    def test_a_key_at_once_after_a_reload_decides(self, page: Page) -> None:
        press_and_wait(page, "r")

        page.reload()
        wait_for_keys(page)
        page.keyboard.press("s")  # before the page claims its case again by itself

        wait_for_decisions(1)
        expect(page.locator("#notices")).to_be_empty()
