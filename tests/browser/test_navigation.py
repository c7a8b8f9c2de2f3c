"""The bar above every page: one line at 1280, groups that open by keyboard and without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from moderation.models import User
from tests.browser.stage import Open, violations, wait_for_keys

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HEIGHTS = "links => new Set(links.map(link => Math.round(link.getBoundingClientRect().top))).size"


@pytest.mark.parametrize("language", ["en", "de"])
def test_stands_in_one_line_at_1280(page_of: Open, admin: User, origin: str, language: str) -> None:
    User.objects.filter(pk=admin.pk).update(first_name="Ada", last_name="L" * 150)
    page = page_of(admin)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.context.add_cookies([{"name": "django_language", "value": language, "url": origin}])
    page.goto("/queue/")

    assert page.locator(".topbar__nav > a, .topbar__nav > details > summary").evaluate_all(HEIGHTS) == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sign_out = page.get_by_role("button", name="Sign out" if language == "en" else "Abmelden")
    expect(sign_out).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("width", [390, 1280])
def test_opens_its_groups_by_keyboard(page_of: Open, admin: User, width: int) -> None:
    page = page_of(admin, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 844})
    page.goto("/queue/")
    wait_for_keys(page)
    summary = page.locator("summary", has_text="Manage")

    summary.focus()
    page.keyboard.press("Enter")
    health = page.get_by_role("link", name="Health")
    expect(health).to_be_in_viewport(ratio=1)
    assert violations(page) == []
    page.keyboard.press("Escape")

    expect(health).to_be_hidden()
    expect(summary).to_be_focused()


def test_closes_a_group_when_the_focus_leaves_it(page_of: Open, admin: User) -> None:
    page = page_of(admin)
    page.goto("/health/")
    wait_for_keys(page)
    summary = page.locator("summary", has_text="Manage")
    expect(summary).to_have_attribute("aria-current", "true")

    summary.click()
    page.get_by_role("link", name="Rules").focus()
    page.locator("h1").click()

    expect(page.get_by_role("link", name="Rules")).to_be_hidden()


def test_opens_its_groups_without_scripts(page_of: Open, admin: User) -> None:
    page = page_of(admin, java_script_enabled=False)
    page.goto("/queue/")

    page.locator("summary", has_text="Manage").click()
    page.get_by_role("link", name="Health").click()

    expect(page.locator("h1")).to_have_text("Health")
