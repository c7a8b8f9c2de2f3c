"""The panel beside a case by keyboard, and axe on it; the case and its claim stay."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from moderation.models import AuthorNote, Case, CaseNote, Decision, Rule, User
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.browser.stage import Open, Watch, press_and_wait, violations, wait_for_decisions
from tests.django_fixtures import wait_until
from tests.moderation.conftest import Case_

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SPAMMER = IncomingAuthor(external_id="spammer", display_name="Sally <b>Spam</b>")


@pytest.fixture
def cases(open_case: Case_) -> list[Case]:
    """Posts of one author with one domain and address."""
    return [
        open_case(
            text=f"Pill number {number} at https://pills.example/{number}",
            author=SPAMMER,
            ip="203.0.113.7",
            at=timezone.now() - timedelta(minutes=9 - number),
        )
        for number in range(4)
    ]


@pytest.fixture
def page(page_of: Open, cases: list[Case], moderator: User) -> Page:
    """A moderator's page with a case in front."""
    page = page_of(moderator, reduced_motion="reduce")
    page.goto("/review/")
    press_and_wait(page, "r")
    return page


def held(moderator: User) -> int:
    return Case.objects.filter(claimed_by=moderator, lease_end_at__gt=timezone.now()).count()


def test_two_keys_lead_to_the_authors_last_posts_and_back(page: Page, moderator: User, watch: Watch) -> None:
    address, claims = page.url, held(moderator)

    page.keyboard.press("a")
    expect(page.locator(".beside__post")).to_have_count(3)
    links = page.locator(".beside a:not([data-opens-beside])")
    assert links.evaluate_all("links => links.length && links.every((link) => link.target === '_blank')")
    page.keyboard.press("Escape")

    expect(page.locator(".beside")).to_be_hidden()
    assert page.evaluate("document.activeElement.matches('article')")
    assert page.url == address
    assert held(moderator) == claims
    assert watch.findings == []


def test_each_key_has_its_subject_and_closes_what_it_opened(page: Page, watch: Watch) -> None:
    for key, subject in (("a", "Sally <b>Spam</b>"), ("d", "pills.example"), ("i", "203.0.113.7")):
        page.keyboard.press(key)
        expect(page.locator(".beside__subject")).to_contain_text(subject)
    page.keyboard.press("i")

    expect(page.locator(".beside")).to_be_hidden()
    assert watch.findings == []


@pytest.mark.gate
def test_the_case_is_decided_beside_an_open_panel_and_undone_without_it(page: Page) -> None:
    page.keyboard.press("a")
    expect(page.locator(".beside__post").first).to_be_visible()

    press_and_wait(page, "s")
    expect(page.locator(".beside")).to_be_hidden()
    wait_for_decisions(1)
    press_and_wait(page, "u")

    expect(page.locator(".beside")).to_be_hidden()


def test_letters_after_a_key_that_writes_or_leads_away_decide_nothing(page: Page) -> None:
    typed = """(keys) => {
        const press = (key) => new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
        for (const key of keys) document.activeElement.dispatchEvent(press(key));
    }"""
    page.evaluate(typed, list("msf"))
    assert page.evaluate("document.activeElement.matches('[data-note] input')")
    page.keyboard.press("Escape")
    page.evaluate(typed, list("/sf"))
    page.wait_for_url("**/posts/#search")

    assert not Decision.objects.exists()


def test_notes_are_written_without_leaving(page: Page, moderator: User) -> None:
    address = page.url
    page.keyboard.press("m")
    page.keyboard.type("Seen on s f Monday")
    page.keyboard.press("Enter")
    expect(page.locator(".case-notes")).to_contain_text("Seen on s f Monday")
    page.keyboard.press("a")
    page.get_by_label("Note on the author").fill("Runs three accounts")
    page.keyboard.press("Enter")
    expect(page.locator(".beside .quote")).to_contain_text(["Runs three accounts"])

    page.get_by_label("Note on the author").focus()
    page.keyboard.press("Escape")
    expect(page.locator(".beside")).to_be_visible()
    page.keyboard.press("Escape")

    expect(page.locator(".beside")).to_be_hidden()
    assert page.url == address
    assert (CaseNote.objects.count(), AuthorNote.objects.count()) == (1, 1)
    assert held(moderator) >= 1


def test_a_rule_is_proposed_and_a_lead_makes_it_there(
    page: Page, page_of: Open, lead: User, watch: Watch
) -> None:
    page.keyboard.press("d")
    page.get_by_role("link", name="Propose rule…").click()
    page.locator(".beside [name=reason]").fill("Sells pills")
    page.keyboard.press("Enter")
    expect(page.locator(".beside .notice")).to_contain_text("Proposed.")
    assert Rule.objects.get().is_draft

    desk = page_of(lead)
    desk.goto("/review/")
    press_and_wait(desk, "r")
    desk.keyboard.press("a")
    desk.get_by_role("link", name="Create rule…").click()
    desk.locator(".beside [name=reason]").fill("Nothing but pills")
    desk.keyboard.press("Enter")

    expect(desk.locator(".beside .notice")).to_contain_text("is active")
    wait_until(lambda: Rule.objects.filter(kind="author", activated_at__isnull=False).exists())
    assert watch.findings == []


@pytest.mark.timeout(300)
def test_axe_finds_nothing(page: Page) -> None:
    found = {}
    for key in "adi":
        page.keyboard.press(key)
        page.locator(".beside__subject").wait_for()
        found[key] = violations(page)
    page.get_by_role("link", name="Propose rule…").click()
    page.locator(".beside [name=reason]").wait_for()
    found["rule"] = violations(page)

    assert not any(found.values()), found
