"""Promise: whatever a link leads to, nothing inside is reached, time is bounded, and the end has a name."""

import time
from dataclasses import replace

import pytest
from pytest_django import Settings

from moderation.models import DeskSettings
from moderation.models.evidence import EvidenceKind, EvidenceState
from tests.moderation.operations.evidence import hostile_kinds  # noqa: F401 - adds to the site's answers
from tests.moderation.operations.evidence.conftest import Fetched
from tests.moderation.operations.evidence.hostile_site import HostileSite

STATE = EvidenceState


@pytest.mark.parametrize(
    ("path", "state", "hops"),
    [("/private", STATE.REFUSED, 2), ("/loopback", STATE.REFUSED, 2), ("/name-inside", STATE.REFUSED, 2),
     ("/metadata", STATE.REFUSED, 2), ("/script", STATE.REFUSED, 1), ("/file", STATE.REFUSED, 1),
     ("/loop", STATE.TOO_MANY_REDIRECTS, 6), ("/trickle", STATE.TIMED_OUT, 1),
     ("/silence", STATE.TIMED_OUT, 1), ("/gone", STATE.UNREACHABLE, 1), ("/bomb", STATE.TOO_LARGE, 1),
     ("/not-zipped", STATE.BROKEN, 1), ("/brotli", STATE.BROKEN, 1), ("/nothing", STATE.BROKEN, 1)],
)  # fmt: skip
def test_ends_by_name_with_nothing_read(
    path: str, state: EvidenceState, hops: int, fetched: Fetched, site: HostileSite, settings: Settings
) -> None:
    if state is STATE.TIMED_OUT:
        settings.EVIDENCE_LIMITS = replace(settings.EVIDENCE_LIMITS, hop_seconds=0.3)
    began = time.monotonic()

    row = fetched(path)

    assert (row.state, len(row.chain), row.facts) == (state, hops, None)
    assert row.detail
    assert "/inside" not in site.paths()
    assert time.monotonic() - began < 9.0


@pytest.mark.parametrize(
    ("path", "state", "words"),
    [
        ("/endless", STATE.TOO_LARGE, "More"),
        ("/error", STATE.NO_PAGE, "No such page"),
        ("/deep", STATE.FETCHED, "Deep words"),
        ("/odd", STATE.FETCHED, "pair"),
        ("/zipped", STATE.FETCHED, "Casino bonus"),
        ("/refresh", STATE.FETCHED, "Casino bonus"),
        ("/refresh-loop", STATE.TOO_MANY_REDIRECTS, "Moment"),
    ],
)
def test_reads_what_can_be_read(path: str, state: EvidenceState, words: str, fetched: Fetched) -> None:
    row = fetched(path)

    assert row.state == state
    assert row.facts is not None
    assert words in row.facts["text"]
    assert len(row.chain) <= 6


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/document", "document"),
        ("/drawing", "drawing"),
        ("/installer", "Update.exe"),
        ("/stored-picture", "stored-picture"),
        ("/attached.png", "file"),
    ],
)
def test_names_a_file_that_is_not_read(path: str, name: str, fetched: Fetched, site: HostileSite) -> None:
    row = fetched(path)

    assert row.state == STATE.WRONG_KIND
    assert row.facts == {"downloads": [{"url": site.url(path), "name": name}]}


def test_all_hops_together_are_bounded(fetched: Fetched, settings: Settings) -> None:
    settings.EVIDENCE_LIMITS = replace(settings.EVIDENCE_LIMITS, seconds=0.7)

    row = fetched("/patience")

    assert row.state == STATE.TIMED_OUT
    assert 1 < len(row.chain) < 6


def test_keeps_what_a_page_says(fetched: Fetched, site: HostileSite) -> None:
    row = fetched("/elsewhere")

    assert row.state == STATE.FETCHED
    assert row.chain == [
        {"url": site.url("/elsewhere"), "status": 302},
        {"url": site.url("/page", host="lands.example"), "status": 200},
    ]
    assert (row.final_host, row.final_domain) == ("lands.example", "lands.example")
    facts = row.facts
    assert facts is not None
    assert (facts["title"], facts["description"], facts["language"]) == ("Your parcel", "One step left", "en")
    assert facts["open_graph"] == {"og:title": "Claim it", "og:image": "/parcel.png"}
    assert facts["preview_url"] == site.url("/parcel.png", host="lands.example")
    assert facts["forms"] == [
        {"action_host": "takes.example", "posts_elsewhere": True, "asks_password": True}
    ]
    assert facts["downloads"] == [
        {"url": site.url("/files/Parcel.APK", host="lands.example"), "name": "Parcel.APK"}
    ]
    assert "confirm your address" in facts["article"]
    assert "Casino bonus" not in facts["article"]
    assert "Casino bonus" in facts["text"]
    assert "not text" not in facts["text"]


def test_names_itself_and_carries_nothing_along(fetched: Fetched, site: HostileSite) -> None:
    fetched("/elsewhere")

    headers = site.asked[1][1]
    assert "Spamdesk" in headers["user-agent"]
    assert not {"cookie", "referer", "authorization"} & set(headers)


@pytest.mark.parametrize(
    ("obeys", "path", "state"),
    [
        (True, "/closed/page", STATE.DISALLOWED),
        (True, "/open", STATE.FETCHED),
        (False, "/closed/page", STATE.FETCHED),
    ],
)
def test_robots_are_obeyed_where_the_operator_says_so(
    obeys: bool,
    path: str,
    state: EvidenceState,
    fetched: Fetched,
    remembered: DeskSettings,
    site: HostileSite,
) -> None:
    remembered.evidence_obeys_robots = obeys

    assert fetched(path).state == state
    assert ("/robots.txt" in site.paths()) == obeys


@pytest.mark.parametrize(
    ("path", "says", "hops"),
    [
        ("/refresh-header", "Casino bonus", 2),
        ("/refresh-late", "Moment", 1),
        ("/refresh-itself", "Moment", 1),
    ],
)
def test_a_header_can_send_a_browser_on(path: str, says: str, hops: int, fetched: Fetched) -> None:
    row = fetched(path)

    assert (row.state, len(row.chain)) == (STATE.FETCHED, hops)
    assert says in (row.facts or {})["text"]


@pytest.mark.parametrize("path", ["/stored-picture", "/attached.png", "/called-text.png"])
def test_a_picture_is_known_by_its_first_bytes_where_one_is_expected(path: str, fetched: Fetched) -> None:
    row = fetched(path, EvidenceKind.PICTURE)

    assert (row.state, (row.facts or {}).get("format")) == (STATE.FETCHED, "PNG")


def test_what_comes_with_an_error_is_offered_to_nobody(fetched: Fetched) -> None:
    row = fetched("/gone.json")

    assert (row.state, row.facts, row.detail) == (STATE.NO_PAGE, None, "status 404")
