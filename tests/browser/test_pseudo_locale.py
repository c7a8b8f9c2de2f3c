"""Every page in a third language: nothing is hard-coded, nothing is clipped."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from moderation.models import Case, User
from moderation.models.users import Role
from moderation.operations.labels import exports
from moderation.queries.labels.labels import LabelFilter
from moderation.web.urls import urlpatterns
from tests.browser.full_desk import addresses
from tests.browser.pseudo_locale import all_data, pseudo, untranslated
from tests.browser.stage import Open, explain
from tests.moderation.web.test_access import ARGUMENTS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

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


@pytest.mark.parametrize(
    "role", [Role.ADMIN, *(pytest.param(role, marks=pytest.mark.long) for role in OTHERS)]
)
@pytest.mark.timeout(400)
def test_nothing_is_said_outside_of_a_message(
    furnished: list[str], everyone: dict[Role, User], pseudo_locale: None, role: Role
) -> None:
    data = all_data()
    desk = Client()
    desk.force_login(everyone[role])
    found: dict[str, set[str]] = {}
    for address in furnished:
        words = untranslated(desk.get(address).content.decode(), data)
        found |= {address: words} if words else {}

    assert found == {}


def test_words_of_no_message_and_no_row_are_found() -> None:
    said = pseudo("You have <strong>%(number)s posts</strong>") % {"number": "7 red"}
    page = f"<p title='Hover'>{said} and Ann, 3 min</p><p data-done='All is well'>{pseudo('Done')}</p>"

    assert untranslated(page, "Ann\nBob") == {"Hover", "and Ann", "All is well"}


@pytest.mark.long
@pytest.mark.timeout(400)
def test_nothing_is_clipped(page_of: Open, furnished: list[str], admin: User, pseudo_locale: None) -> None:
    page = page_of(admin, reduced_motion="reduce")
    found: dict[str, list[str]] = {}
    for address in furnished:
        page.goto(address)
        # Both on one visit: asking for the page costs more than laying it out again.
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            found[f"{address} at {width}"] = page.evaluate(CLIPPED)

    assert not any(found.values()), {address: narrow for address, narrow in found.items() if narrow}
