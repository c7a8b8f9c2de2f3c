"""Every page of a full desk: axe, filters, bans by keyboard; learning; and texts a third longer."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone
from playwright.sync_api import expect

from moderation.models import BlindReview, Case, Platform, User
from moderation.models.users import Role
from moderation.operations.labels import exports
from moderation.queries.labels.labels import LabelFilter
from tests.browser.full_desk import addresses
from tests.browser.learning_desk import decided, drifted, reviewed, shadowed
from tests.browser.pseudo_locale import all_data, pseudo, untranslated
from tests.browser.stage import PEOPLE, Open, Watch, explain, violations
from tests.moderation.web.test_access import ARGUMENTS, urlpatterns

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


__all__ = ["decided", "drifted", "reviewed", "shadowed"]
OTHERS = (Role.MODERATOR, Role.LEAD, Role.ML_ENGINEER)
LEFT_OUT = {"today-csv", "decisions-csv", "export-download", "sign-out"}
CLIPPED = """() => {
  const parts = 'button, .button, h1, h2, h3, th, dt, label, legend, summary, .tag, .chip, .chip-link, nav a'
  const narrow = [...document.querySelectorAll(parts)]
    .filter(one => one.checkVisibility({visibilityProperty: true}) && !one.closest('.only-heard'))
    .filter(one => one.clientWidth && one.scrollWidth > one.clientWidth + 1)
    .map(one => `${one.tagName}.${one.className}: ${one.textContent.trim().slice(0, 60)}`)
  const page = document.documentElement
  if (page.scrollWidth <= innerWidth) return narrow
  const wide = [...document.querySelectorAll('main *')]
    .filter(one => one.getBoundingClientRect().right > innerWidth && !one.closest('.table-box'))
    .map(one => `${one.tagName}.${one.className}`)
  return [...narrow, `page: ${page.scrollWidth} px`, ...wide.slice(-6)]
}"""


@pytest.fixture
def everyone(admin: User) -> dict[Role, User]:
    """One person of each role."""
    others = {role: User.objects.create_user(f"{role}_person", role=role) for role in OTHERS}
    return {Role.ADMIN: admin, **others}


@pytest.fixture
def furnished(full_desk: Case, admin: User) -> list[str]:
    """Every address, with the rows of a full desk; one case has every sentence."""
    explain(full_desk)
    exports.request(requested_by=admin, wanted=LabelFilter(), at=timezone.now())
    known = ARGUMENTS | {
        "case_id": full_desk.pk,
        "post_id": full_desk.post_id,
        "author_id": full_desk.post.author_id,
        "platform_id": full_desk.post.platform_id,
        "user_id": admin.pk,
        "address": "203.0.113.1",
    }
    desk = Client()
    desk.force_login(admin)
    every = [
        *addresses(full_desk),
        *(_address(one, known) for one in urlpatterns if one.name not in LEFT_OUT),
    ]
    return [address for address in dict.fromkeys(every) if _is_page(desk, address)]


def _is_page(desk: Client, address: str) -> bool:
    answer = desk.get(address)
    return answer.status_code == 200 and "html" in answer.headers["Content-Type"]


def _address(pattern: URLPattern, known: dict[str, Any]) -> str:
    given = {name: known[name] for name in pattern.pattern.converters}
    return reverse(str(pattern.name), kwargs=given)


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
    first_shift = f"/first-shift/?of={BlindReview.objects.filter(cause='first').latest('pk').answered_by_id}"
    for place in (
        "/second-reviews/",
        "/golden-items/",
        first_shift,
        "/queues/",
        "/quality/drift/",
        "/models/shadow/2/",
    ):
        page.goto(place)
        found[place] = violations(page)
        page.set_viewport_size({"width": 390, "height": 844})
        found[f"{place}, wider than a phone"] = page.evaluate(
            "document.documentElement.scrollWidth > innerWidth"
        )
        page.set_viewport_size({"width": 1280, "height": 800})

    assert not any(found.values()), found


class TestPseudoLocale:
    @pytest.mark.parametrize(
        "role", [Role.ADMIN, *(pytest.param(role, marks=pytest.mark.long) for role in OTHERS)]
    )
    @pytest.mark.timeout(400)
    def test_nothing_is_said_outside_of_a_message(
        self, furnished: list[str], everyone: dict[Role, User], pseudo_locale: None, role: Role
    ) -> None:
        data = all_data()
        desk = Client()
        desk.force_login(everyone[role])
        found: dict[str, set[str]] = {}
        for address in furnished:
            words = untranslated(desk.get(address).content.decode(), data)
            found |= {address: words} if words else {}

        assert found == {}

    def test_words_of_no_message_and_no_row_are_found(self) -> None:
        said = pseudo("You have <strong>%(number)s posts</strong>") % {"number": "7 red"}
        page = f"<p title='Hover'>{said} and Ann, 3 min</p><p data-done='All is well'>{pseudo('Done')}</p>"

        assert untranslated(page, "Ann\nBob") == {"Hover", "and Ann", "All is well"}

    @pytest.mark.long
    @pytest.mark.timeout(400)
    def test_nothing_is_clipped(
        self, page_of: Open, furnished: list[str], admin: User, pseudo_locale: None
    ) -> None:
        page = page_of(admin, reduced_motion="reduce")
        found: dict[str, list[str]] = {}
        for address in furnished:
            page.goto(address)
            # Both on one visit: asking for the page costs more than laying it out again.
            for width in (1280, 390):
                page.set_viewport_size({"width": width, "height": 844})
                found[f"{address} at {width}"] = page.evaluate(CLIPPED)

        assert not any(found.values()), {address: narrow for address, narrow in found.items() if narrow}
