"""Dialogs that stand in rows of tables: read from the beginning of the line, and no wider than themselves."""

from __future__ import annotations

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from moderation.models import User
from moderation.operations import rules
from tests.browser.stage import Open, Watch, wait_for_keys

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = "w" * 150


@pytest.mark.parametrize("address", ["/users/", "/rules/"])
def test_wrap_their_words_and_begin_at_the_left(
    page_of: Open, admin: User, watch: Watch, address: str
) -> None:
    User.objects.create_user(LONG)
    rules.impose(kind="text", value=LONG, reason=LONG, actor=admin, at=timezone.now())
    page = page_of(admin)
    page.goto(address)
    wait_for_keys(page)

    page.locator("#main [data-opens]").last.click()

    dialog = page.locator("dialog[open]")
    expect(dialog).to_be_visible()
    expect(dialog).to_have_css("text-align", "start")
    expect(dialog).to_have_css("white-space-collapse", "collapse")
    assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert watch.findings == []


def test_fields_of_users_open_on_demand(page_of: Open, admin: User, moderator: User) -> None:
    page = page_of(admin)
    page.goto("/users/")
    field = page.get_by_label("First name of moderator")
    expect(field).to_be_hidden()

    page.get_by_role("row", name="moderator").get_by_text("Change").click()
    field.fill("Mona")
    field.press("Enter")

    expect(page.get_by_role("row", name="moderator")).to_contain_text("Mona")
    moderator.refresh_from_db()
    assert moderator.first_name == "Mona"
