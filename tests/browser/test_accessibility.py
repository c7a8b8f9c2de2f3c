"""axe on every page, in both themes, and what axe cannot see."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, expect

from moderation.models import Case, Score, User
from moderation.operations import ban, export, review
from moderation.queries.labels import LabelFilter
from tests.browser.stage import Watch, press_and_wait

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Page]
Case_ = Callable[..., Case]
PAGES = (
    "/queue/",
    "/review/",
    "/decisions/",
    "/domains/",
    "/domains/evil.example/",
    "/exports/",
    "/account/",
    "/health/",
    "/nowhere/",
)


@pytest.fixture
def full_desk(open_case: Case_, lead: User) -> list[Case]:
    """Cases, a decision, a ban and an export, so that no page is empty."""
    cases = [open_case(text=f"fr\u200bee pills {number} at https://evil.example/x") for number in range(4)]
    Score.objects.update(word_contributions=[[0, 5, 1.0], [6, 11, -0.5]])
    [case] = review.claim_next(moderator=lead, at=timezone.now())
    review.decide(case_id=case.pk, case_version=1, moderator=lead, verdict="spam", at=timezone.now())
    ban.impose(value="evil.example", reason="Sells pills", actor=lead, at=timezone.now())
    export.request(requested_by=lead, wanted=LabelFilter(), at=timezone.now())
    return cases


def violations(page: Page) -> list[str]:
    """What axe finds, one line each."""
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
class TestAxe:
    def test_finds_nothing_on_any_page(
        self, page_of: Open, full_desk: list[Case], lead: User, scheme: str, watch: Watch
    ) -> None:
        page = page_of(lead, scheme=scheme)
        found = {}
        for address in PAGES:
            page.goto(address)
            found[address] = violations(page)

        assert not any(found.values()), found

    def test_finds_nothing_on_a_case(
        self, page_of: Open, full_desk: list[Case], lead: User, scheme: str
    ) -> None:
        page = page_of(lead, scheme=scheme)
        page.goto("/review/")
        press_and_wait(page, "r")
        on_case = violations(page)
        page.keyboard.press("x")
        page.keyboard.press("?")
        on_keys = violations(page)
        page.keyboard.press("Escape")
        page.keyboard.press("e")

        assert (on_case, on_keys, violations(page)) == ([], [], [])

    def test_finds_nothing_at_the_gate(self, page: Page, origin: str, scheme: str) -> None:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.goto(f"{origin}/sign-in/")

        assert violations(page) == []


class TestReading:
    def test_works_at_twice_the_size(self, page_of: Open, full_desk: list[Case], lead: User) -> None:
        page = page_of(lead)
        page.set_viewport_size({"width": 640, "height": 400})
        page.goto(f"/review/{full_desk[-1].pk}/")
        page.keyboard.press("r")
        expect(page.locator("[data-key=s]")).to_be_in_viewport()

        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def test_announces_the_next_case(self, page_of: Open, full_desk: list[Case], lead: User) -> None:
        page = page_of(lead)
        page.goto("/review/")
        press_and_wait(page, "r")
        page.keyboard.press("s")

        expect(page.locator("#announcements")).to_contain_text("Decided: spam.")

    def test_the_decision_is_in_sight_at_1280_by_800(
        self, page_of: Open, full_desk: list[Case], lead: User
    ) -> None:
        page = page_of(lead)
        page.goto(f"/review/{full_desk[-1].pk}/")
        page.keyboard.press("r")

        for part in (".why", ".verdict", ".bars", ".contributions", ".facts", "[data-key=s]", "[data-key=f]"):
            expect(page.locator(part).first).to_be_in_viewport(ratio=1)

    def test_the_theme_is_remembered(self, page_of: Open, lead: User) -> None:
        page = page_of(lead)
        page.goto("/queue/")
        page.get_by_role("button", name="Light or dark").click()
        page.reload()

        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
