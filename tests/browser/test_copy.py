"""Copy buttons, in a browser that may use the clipboard."""

from __future__ import annotations

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from moderation.models import User
from moderation.operations import rules
from moderation.operations.audit import chain
from tests.browser.stage import Open, Watch

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.gate
def test_the_head_of_the_chain_is_copied(page_of: Open, lead: User, watch: Watch) -> None:
    rules.impose(value="evil.example", reason="Sells pills", actor=lead, at=timezone.now())
    chain.seal(at=timezone.now())
    page = page_of(lead)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/audit/")
    page.get_by_role("button", name="Copy").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == str(chain.head())
    assert watch.findings == []
