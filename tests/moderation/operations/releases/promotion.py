"""A promotion as the tests ask for it, and what they wait for."""

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from moderation import scorer
from moderation.models import Promotion
from moderation.operations.releases import promote
from scoring.release import Release
from tests import releases

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
