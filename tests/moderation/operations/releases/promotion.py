"""A promotion as the tests ask for it, and what they wait for."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import connection

from moderation import scorer
from moderation.models import Promotion
from moderation.operations.releases import promote
from scoring.blocklist import Blocklist
from scoring.release import Release
from tests import releases
from tests.scoring.random_records import record

TEXTS = ["Cheap pills, call 1-800 now", "See you at the river tonight"]


def promote_with(
    candidate: Release, *, models: Path, at: datetime, report: dict[str, Any] | None = None
) -> Promotion:
    if report is None:
        report = releases.report(candidate=candidate, live=scorer.release())
    return promote.promote(folder=candidate.folder, report=report, repository=models, actor=None, at=at)


def wait_until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def score_all_the_time(seen: Counter[tuple[str, bool]], ended: threading.Event) -> None:
    """Score until told to end, as a worker does: every batch asks for the live release first."""
    try:
        while not ended.is_set():
            live = scorer.current().live()
            result = live.score(record(text="Shall we meet at six?"), blocklist=Blocklist())
            seen[result.release_id, result.is_degraded] += 1
    finally:
        connection.close()
