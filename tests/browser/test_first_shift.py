"""A new moderator's first shift by keyboard, from the queue to the result."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from moderation.models import BlindReview, Decision, DeskSettings, User
from moderation.models.users import Role
from tests.browser.stage import Open, Watch, press_and_wait, violations, wait_for_keys
from tests.moderation.conftest import Case_
from tests.moderation.operations.cases.conftest import vouched

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.gate
def test_is_worked_through_by_keyboard(
    page_of: Open,
    open_case: Case_,
    moderator: User,
    other_moderator: User,
    lead: User,
    watch: Watch,
    remembered: DeskSettings,
) -> None:
    remembered.undo_seconds = 1  # the result shows what can be undone no more
    other_lead = User.objects.create_user("other_lead", role=Role.LEAD)
    before = timezone.now() - timedelta(hours=1)
    vouched(open_case, 6, by=other_moderator, leads=(lead, other_lead), at=before)
    open_case(text="A case for later")
    page = page_of(moderator)
    page.goto("/queue/")
    wait_for_keys(page)

    assert violations(page) == []
    page.get_by_role("button", name="Start the first shift").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/*/")
    for number in range(6):
        press_and_wait(page, "sf"[number % 2])
    expect(page.get_by_role("heading", name="The first shift is over")).to_be_visible()
    page.keyboard.press("r")
    page.wait_for_url("**/first-shift/")

    assert BlindReview.objects.filter(cause="first", answered_by=moderator).count() == 6
    assert not Decision.objects.filter(decided_by=moderator).exists()
    expect(page.locator("tbody tr")).to_have_count(6, timeout=60_000)  # as soon as none can be undone
    expect(page.locator("tbody tr").first).to_contain_text("Because of")
    page.keyboard.press("r")
    page.wait_for_url("**/review/*/")
    expect(page.locator("#current-case")).to_contain_text("A case for later")
    assert watch.findings == []
