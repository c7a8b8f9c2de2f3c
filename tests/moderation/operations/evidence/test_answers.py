"""Redirects that no status names."""

from __future__ import annotations

import pytest

from moderation.models.evidence import EvidenceKind, EvidenceState
from tests.moderation.operations.evidence import hostile_kinds  # noqa: F401 - adds to the site's answers
from tests.moderation.operations.evidence.conftest import Fetched
from tests.moderation.operations.evidence.hostile_site import HostileSite

STATE = EvidenceState


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


@pytest.mark.parametrize("path", ["/stored-picture", "/attached.png"])
def test_a_link_to_the_same_offers_a_file(path: str, fetched: Fetched, site: HostileSite) -> None:
    row = fetched(path)

    assert row.state == STATE.WRONG_KIND
    assert [file["url"] for file in (row.facts or {})["downloads"]] == [site.url(path)]


def test_what_comes_with_an_error_is_offered_to_nobody(fetched: Fetched) -> None:
    row = fetched("/gone.json")

    assert (row.state, row.facts, row.detail) == (STATE.NO_PAGE, None, "status 404")
