"""The bar above every page, and dialogs that stand in rows of tables."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from moderation.models import User
from moderation.operations import rules
from tests.browser.stage import Open, Watch, violations, wait_for_keys

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
HEIGHTS = "links => new Set(links.map(link => Math.round(link.getBoundingClientRect().top))).size"
LONG_WORD = "w" * 150


class TestBar:
    @pytest.mark.parametrize("language", ["en", "de"])
    def test_stands_in_one_line_at_1280(self, page_of: Open, admin: User, origin: str, language: str) -> None:
        User.objects.filter(pk=admin.pk).update(first_name="Ada", last_name="L" * 150)
        page = page_of(admin)
        page.set_viewport_size({"width": 1280, "height": 800})
        page.context.add_cookies([{"name": "django_language", "value": language, "url": origin}])
        page.goto("/queue/")

        assert page.locator(".topbar__nav > a").evaluate_all(HEIGHTS) == 1
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        sign_out = page.get_by_role("button", name="Sign out" if language == "en" else "Abmelden")
        expect(sign_out).to_be_in_viewport(ratio=1)

    @pytest.mark.parametrize("width", [390, 1280])
    def test_leads_to_every_page_by_keyboard(self, page_of: Open, admin: User, width: int) -> None:
        page = page_of(admin)
        page.set_viewport_size({"width": width, "height": 844})
        page.goto("/queue/")
        section = page.locator(".topbar__nav a", has_text="Manage")

        section.focus()
        expect(section).to_be_in_viewport(ratio=1)
        page.keyboard.press("Enter")
        page.wait_for_url("**/rules/")
        tabs = page.get_by_role("navigation", name="Manage")
        tabs.get_by_role("link", name="Health").press("Enter")

        expect(page.locator("h1")).to_have_text("Health")
        expect(section).to_have_attribute("aria-current", "page")
        expect(tabs.locator("[aria-current]")).to_have_text("Health")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []


class TestDialogs:
    @pytest.mark.parametrize("address", ["/users/", "/rules/"])
    def test_wrap_their_words_and_begin_at_the_left(
        self, page_of: Open, admin: User, watch: Watch, address: str
    ) -> None:
        User.objects.create_user(LONG_WORD)
        rules.impose(kind="text", value=LONG_WORD, reason=LONG_WORD, actor=admin, at=timezone.now())
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
