"""Notifications outside the page: switched on by a click, told once over all hidden tabs."""

import re

import pytest
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import Page, expect

from moderation.models import User
from moderation.models.notifications import NotificationKind
from moderation.operations.notifications import notify
from tests.browser.stage import Open, Watch

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

STUB = """
window.shown = [];
window.Notification = class extends EventTarget {
  static get permission() { return localStorage.getItem("permission") ?? "default"; }
  static async requestPermission() { localStorage.setItem("permission", "granted"); }
  constructor(title, { body }) { super(); window.shown.push(`${title}: ${body}`); window.last = this; }
  close() {}
};
Object.defineProperty(Document.prototype, "hidden", { get: () => localStorage.getItem("isAway") === "yes" });
"""


@pytest.fixture
def page(page_of: Open, lead: User) -> Page:
    """The preferences of a lead, in a browser whose notifications are noted down."""
    page = page_of(lead)
    page.context.add_init_script(STUB)
    visit(page)
    return page


def visit(page: Page, address: str = "/account/preferences/") -> None:
    """Open a page, and wait until it has asked what waits; it asks again a minute later."""
    with page.expect_response(re.compile(r"[^t]/notifications/")):
        page.goto(address)


def escalated(*subjects: int) -> None:
    with transaction.atomic():
        for subject in subjects:
            notify.write(kind=NotificationKind.ESCALATION, subject=subject, at=timezone.now())


def heard(page: Page, *, is_away: bool) -> list[str]:
    """Open a page, hidden or not, and return what it told outside."""
    page.evaluate("value => localStorage.setItem('isAway', value)", "yes" if is_away else "no")
    visit(page, "/account/pace/")
    page.locator("#told [data-newest]").wait_for(state="attached")
    page.evaluate("navigator.locks.request('notified', () => null)")
    return list(page.evaluate("window.shown"))


def test_tell_once_over_several_hidden_tabs(page: Page, watch: Watch) -> None:
    switch = page.get_by_label("Also while the desk is in a hidden tab")
    escalated(811)
    assert heard(page, is_away=True) == []
    visit(page)
    expect(switch).not_to_be_checked()
    switch.check()
    expect(switch).to_be_checked()

    tab = page.context.new_page()
    visit(tab)
    escalated(812, 813)
    first, other = heard(page, is_away=True), heard(tab, is_away=True)
    escalated(814)
    seen = heard(page, is_away=False)

    assert (first, other, seen) == (["Spamdesk: 3 cases were escalated"], [], [])
    assert watch.findings == []


def test_open_the_place_by_a_click(page: Page) -> None:
    page.get_by_label("Also while the desk is in a hidden tab").check()
    escalated(812)
    assert heard(page, is_away=True) == ["Spamdesk: 1 case was escalated"]

    with page.context.expect_page() as opened:
        page.evaluate("window.last.dispatchEvent(new Event('click'))")

    assert opened.value.url.endswith("/review/812/")


def test_say_that_the_browser_refuses(page: Page) -> None:
    page.evaluate("localStorage.setItem('permission', 'denied')")

    page.reload()

    expect(page.get_by_text("Your browser blocks notifications of this site.")).to_be_visible()
