"""Where the rules of a site are looked for, if the operator obeys them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytest_django import Settings

from moderation.models import Evidence
from moderation.models.evidence import EvidenceState
from moderation.operations.evidence import robots
from tests.moderation.operations.evidence.hostile_site import ANSWERS, redirects, sends

Fetched = Callable[..., Evidence]
STATE = EvidenceState


@pytest.fixture(autouse=True)
def _obeyed(settings: Settings) -> None:
    settings.EVIDENCE_OBEYS_ROBOTS = True


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (redirects("/rules"), STATE.DISALLOWED),
        (redirects("/robots.txt"), STATE.FETCHED),
        (redirects("http://10.0.0.1/"), STATE.FETCHED),
        (sends(b"busy", status=503), STATE.DISALLOWED),
        (sends(b"User-agent: *\nDisallow: /", status=404), STATE.FETCHED),
    ],
)
def test_are_found_where_they_are(
    answer: Callable[..., None],
    state: EvidenceState,
    fetched: Fetched,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(ANSWERS, "/rules", sends(b"User-agent: *\nDisallow: /*age", kind="text/plain"))
    monkeypatch.setitem(ANSWERS, "/robots.txt", answer)
    robots.forget()

    assert fetched("/page").state == state
