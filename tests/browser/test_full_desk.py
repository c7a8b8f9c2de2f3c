"""Every page of a full desk: axe, filters; learning; and German, which is longer."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from string import ascii_letters
from typing import Any
from unicodedata import category

import pytest
from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone, translation
from playwright.sync_api import expect

from moderation.models import BlindReview, Case, Platform, User
from moderation.models.users import Role
from moderation.operations.labels import exports
from moderation.queries.labels.labels import LabelFilter
from tests.browser.full_desk import addresses
from tests.browser.learning_desk import decided, drifted, reviewed, shadowed
from tests.browser.stage import PEOPLE, Open, Watch, explain, violations
from tests.moderation.web.test_access import ARGUMENTS, urlpatterns

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["decided", "drifted", "reviewed", "shadowed"]
OTHERS = (Role.MODERATOR, Role.LEAD, Role.ML_ENGINEER)
LEFT_OUT = {"today-csv", "decisions-csv", "export-download", "sign-out"}
ARMENIAN = {ord(letter): 0x561 + place % 26 for place, letter in enumerate(ascii_letters)}
KEPT = re.compile(r"(%\(\w+\)[sd]|%[sd%]|\{\w*\}|<[^>]*>|&\w+;)")
SILENT = re.compile(r"<(script|style|code|kbd)\b.*?</\1>|<!--.*?-->", re.DOTALL)
SAID = re.compile(
    r""">([^<]+)|\s(?:aria-label|title|placeholder|alt)=["']([^"']+)|\sdata-[\w-]+=["'](\w+ \w+[^"']*)"""
)
RUN = re.compile(r"[A-Za-z]{2,}(?:[ ’'-][A-Za-z]+)*")
# Names, units and abbreviations that are the same in every language, marks of characters and what they read.
NAMES = re.compile(
    r"(?<![A-Za-z])(?:Spamdesk|DistilBERT|Triton|PostgreSQL|UTC|SHA|JSON|CSV|Parquet|English|Deutsch|Esc|Enter|"
    r"Ctrl|Bluesky|Discourse|Lemmy|Mastodon|Matrix|Ozone|Synapse|curated|janitr|sms|thai|uci|youtube|"
    r"TAG|Cyr|Gre|ZWSP|RLO|PDF|PDI|LRI|FREE|Cyrillic|right-to-left override|min|ms|pp|https?|hxxps?|"
    r"web|TensorRT, GPU|beat|scoring|background|exports|housekeeping|learning|webhooks)(?![A-Za-z])|"
    r"@\w+|[\w.-]+\.(?:example|jsonl|csv)|\b[0-9a-f]{12}\b"
)
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
def foreign_language(furnished: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the process speak in letters of another script."""
    real: Any = translation._trans  # type: ignore[attr-defined]  # where every call of gettext ends
    for name in ("gettext", "ngettext", "pgettext", "npgettext"):
        monkeypatch.setattr(real, name, _spoken(getattr(real, name)))
    cache.clear()  # which keeps parts of pages
    yield
    cache.clear()


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


@pytest.mark.parametrize(
    "role", [Role.ADMIN, *(pytest.param(role, marks=pytest.mark.long) for role in OTHERS)]
)
def test_pages_say_nothing_but_messages_and_rows(
    furnished: list[str], admin: User, foreign_language: None, role: Role
) -> None:
    User.objects.filter(pk=admin.pk).update(role=role)
    rows = all_rows()
    desk = Client()
    desk.force_login(admin)
    said = {address: untranslated(desk.get(address).content.decode(), rows) for address in furnished}

    assert {address: words for address, words in said.items() if words} == {}


def test_words_of_no_message_and_no_row_are_found() -> None:
    said = foreign("You have <strong>%(number)s posts</strong>") % {"number": "7 red"}
    page = f"<p title='Hover'>{said} and Ann, 3 min</p><p data-done='All is well'>{foreign('Done')}</p>"

    assert untranslated(page, "Ann\n7 red\nBob") == {"Hover", "and Ann", "All is well"}


@pytest.mark.timeout(400)
def test_no_german_word_is_clipped(page_of: Open, full_desk: Case, admin: User, origin: str) -> None:
    explain(full_desk)
    page = page_of(admin, reduced_motion="reduce")
    page.context.add_cookies([{"name": "django_language", "value": "de", "url": origin}])
    found: dict[str, list[str]] = {}
    for address in (*addresses(full_desk), f"/review/{full_desk.pk}/"):
        page.goto(address)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            found[f"{address} at {width}"] = page.evaluate(CLIPPED)

    assert not any(found.values()), {address: narrow for address, narrow in found.items() if narrow}


def foreign(message: str) -> str:
    """Return a message in letters of another script; placeholders, tags and entities keep theirs."""
    if message == "yes,no":
        return ",".join(map(foreign, message.split(",")))
    parts = KEPT.split(message)
    parts[::2] = [part.translate(ARMENIAN) for part in parts[::2]]
    return "".join(parts)


def untranslated(body: str, rows: str) -> set[str]:
    """Return what a page says, shows or keeps for its scripts in letters of no message and no row."""
    said = ("".join(found) for found in SAID.findall(SILENT.sub("", body)))
    runs = (run for words in said for run in RUN.findall(NAMES.sub(" ", unescape(words))))
    return {run for run in runs if run not in rows}


def all_rows() -> str:
    """Return every value of every row, a row a line; codes of choices are no data."""
    rows = list(settings.WORKERS)
    for model in apps.get_app_config("moderation").get_models():
        free = [field.attname for field in model._meta.concrete_fields if not field.choices]
        rows += [" ".join(map(str, row)) for row in model._default_manager.values_list(*free)]
    # Invisible characters are shown as marks, between which the words stand.
    return "".join(character for character in "\n".join(rows) if category(character) != "Cf")


def _spoken(say: Callable[..., str]) -> Callable[..., str]:
    return lambda *given: foreign(say(*given))
