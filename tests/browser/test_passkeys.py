"""A passkey of a virtual device: added, then enough to sign in."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from moderation.models import AuditEntry, User
from tests.browser.stage import Watch

PASSWORD = "right-and-long-enough"
pytestmark = pytest.mark.browser


def test_a_passkey_signs_in_alone(
    new_context: Callable[..., BrowserContext], origin: str, watch: Watch, transactional_db: None
) -> None:
    User.objects.create_user("moderator", password=PASSWORD)
    context = new_context()
    page = watch.over(context.new_page())
    device = context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    kind = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    unlocked = {"isUserVerified": True, "automaticPresenceSimulation": True}
    device.send("WebAuthn.addVirtualAuthenticator", {"options": kind | unlocked})

    page.goto(f"{origin}/sign-in/")
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_have_count(0)
    page.get_by_label("Name").fill("moderator")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out", exact=True)).to_be_visible()
    page.goto(f"{origin}/account/second-factor/passkeys/")
    page.get_by_label("Name, to tell it from others").fill("Laptop")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.locator("#recovery-codes li")).to_have_count(10)
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_role("main")).to_contain_text("Laptop")
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("button", name="Sign out", exact=True)).to_be_visible()

    page.goto(f"{origin}/account/second-factor/")
    expect(page.get_by_role("main")).to_contain_text("last used")
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_label("Name").fill("moderator")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Use passkey").click()
    expect(page.get_by_role("button", name="Sign out", exact=True)).to_be_visible()
    assert AuditEntry.objects.filter(action="user.second_factor_added").count() == 2
    assert watch.off_origin == []
