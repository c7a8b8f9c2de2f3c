"""axe on search, entity pages, bans, administration and learning, full and hostile; nothing is too wide."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from moderation.models import Case, Platform, User
from tests.browser.full_desk import addresses
from tests.browser.learning_desk import decided, drifted, reviewed, shadowed
from tests.browser.stage import PEOPLE, Open, Watch, violations

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


__all__ = ["decided", "drifted", "reviewed", "shadowed"]


@pytest.mark.timeout(400)
def test_axe_finds_nothing(page_of: Open, full_desk: Case, admin: User, watch: Watch) -> None:
    page = page_of(admin, reduced_motion="reduce")
    found = {}
    for address in addresses(full_desk):
        page.goto(address)
        found[address] = violations(page)

    assert not any(found.values()), found
    assert watch.findings == []


def test_filters_are_shared_by_address_and_kept(
    page_of: Open, full_desk: Case, admin: User, watch: Watch
) -> None:
    page = page_of(admin)
    page.goto("/posts/")
    page.get_by_label("Status").select_option("waiting")
    page.wait_for_url("**state=waiting**")
    page.get_by_text("Save filter").click()
    page.get_by_label("Name").fill("Waiting")
    page.get_by_role("button", name="Save", exact=True).click()

    expect(page.get_by_role("link", name="Waiting", exact=True)).to_have_attribute(
        "href", "/posts/?state=waiting"
    )
    assert watch.findings == []


@pytest.mark.gate
def test_a_ban_is_seen_imposed_and_lifted_by_keyboard_alone(
    page_of: Open, full_desk: Case, admin: User
) -> None:
    page = page_of(admin)
    page.goto("/rules/new/?kind=domain&value=evil.example")
    page.get_by_label("Reason").focus()
    page.keyboard.type("Sells pills")
    page.keyboard.press("Enter")
    page.get_by_label("Ban anyway").focus()  # people judged some of its posts harmless
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.locator(".tag--spam").first).to_contain_text("banned")
    page.get_by_role("button", name="Lift", exact=True).first.focus()
    page.keyboard.press("Enter")

    expect(page.locator(".messages__item--success")).to_contain_text("lifted")


@pytest.mark.usefixtures("reviewed", "drifted", "shadowed")
def test_full_pages_are_accessible_and_fit_a_phone(
    page_of: Open, platform: Platform, admin: User, lead: User
) -> None:
    Platform.objects.filter(pk=platform.pk).update(name="W" * 80)
    User.objects.filter(pk=lead.pk).update(first_name="W" * 100, last_name=PEOPLE[0])
    page = page_of(admin, reduced_motion="reduce")
    found = {}
    for place in ("/second-reviews/", "/golden-items/", "/queues/", "/quality/drift/", "/models/shadow/2/"):
        page.goto(place)
        found[place] = violations(page)
        page.set_viewport_size({"width": 390, "height": 844})
        found[f"{place}, wider than a phone"] = page.evaluate(
            "document.documentElement.scrollWidth > innerWidth"
        )
        page.set_viewport_size({"width": 1280, "height": 800})

    assert not any(found.values()), found
