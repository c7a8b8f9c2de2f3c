"""Redirects that no status names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from moderation.models import Evidence
from moderation.models.evidence import EvidenceState
from tests.moderation.operations.evidence import hostile_kinds  # noqa: F401 - adds to the site's answers

Fetched = Callable[..., Evidence]
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
