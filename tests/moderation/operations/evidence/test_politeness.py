"""Sites are spared that others redirect to."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest
from pytest_django import Settings

from moderation.models import Evidence
from moderation.models.evidence import EvidenceState
from moderation.operations.evidence import politeness
from moderation.operations.infrastructure import limits
from tests.moderation.operations.evidence.hostile_site import ANSWERS, redirects

Fetched = Callable[..., Evidence]
STATE = EvidenceState


def test_spares_a_site_that_others_redirect_to(fetched: Fetched, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2):
        monkeypatch.setitem(ANSWERS, f"/short/{number}", redirects("http://lands.example:PORT/page"))
    monkeypatch.setitem(ANSWERS, "/short/3", redirects("/page"))
    asked: list[str] = []

    def wait(site: str, **_: object) -> bool:
        asked.append(site)
        return len(asked) < 2

    monkeypatch.setattr(politeness, "wait", wait)

    first, second, own = fetched("/short/1"), fetched("/short/2"), fetched("/short/3")

    assert asked == ["lands.example"] * 2
    assert (first.state, second.state, own.state) == (STATE.FETCHED, STATE.TIMED_OUT, STATE.FETCHED)
    assert second.chain[-1] == {"url": second.final_url, "status": None}
    assert "too often" in second.detail


def test_lets_as_many_through_in_a_second_as_the_limit_says(settings: Settings, at: datetime) -> None:
    settings.EVIDENCE_LIMITS = replace(settings.EVIDENCE_LIMITS, site_per_second=2)
    site = f"{time.monotonic_ns()}.example"

    waits = [politeness.wait(site, seconds=0.2, at=at) for _ in range(3)]
    later = politeness.wait(site, seconds=2.0, at=at)

    assert (waits, later) == ([True, True, False], True)


def test_waits_for_nobody_without_the_store(at: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ask", lambda _question: None)

    assert all(politeness.wait("site.example", seconds=1.0, at=at) for _ in range(50))
