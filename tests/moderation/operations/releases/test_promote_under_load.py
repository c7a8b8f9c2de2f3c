"""Promotion and rollback while posts are scored all the time: nothing fails, nothing goes without content."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection

from moderation import scorer
from moderation.operations.releases import promote
from scoring.blocklist import Blocklist
from scoring.release import Release
from tests.moderation.instants import AT
from tests.moderation.operations.conftest import ON_TRITON
from tests.moderation.operations.releases.promotion import promote_with, wait_until
from tests.scoring.random_records import record

pytestmark = [pytest.mark.whole, pytest.mark.django_db(transaction=True), *ON_TRITON]

CALLERS = 3


@pytest.mark.long
def test_no_request_fails(candidate: Release, other_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorer, "CHECK_SECONDS", 0.05)
    shipped = scorer.release()
    seen: Counter[tuple[str, bool]] = Counter()
    ended = threading.Event()

    with ThreadPoolExecutor(CALLERS) as pool:
        callers = [pool.submit(_score_all_the_time, seen, ended) for _ in range(CALLERS)]
        try:
            wait_until(lambda: seen[shipped.id, False] > 20)
            promote_with(candidate, models=other_models, at=AT)
            wait_until(lambda: seen[candidate.id, False] > 20)
            of_shipped = seen[shipped.id, False]
            begun = time.monotonic()
            promote.roll_back(actor=None, at=AT)
            wait_until(lambda: seen[shipped.id, False] > of_shipped + 20)
        finally:
            ended.set()

    for caller in callers:
        caller.result()
    assert set(seen) == {(shipped.id, False), (candidate.id, False)}
    assert time.monotonic() - begun < 60


def _score_all_the_time(seen: Counter[tuple[str, bool]], ended: threading.Event) -> None:
    """Score until told to end, as a worker does: every batch asks for the live release first."""
    try:
        while not ended.is_set():
            result = (
                scorer.current().live().score(record(text="Shall we meet at six?"), blocklist=Blocklist())
            )
            seen[result.release_id, result.is_degraded] += 1
    finally:
        connection.close()
