"""A promotion as the tests ask for it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from moderation import scorer
from moderation.models import Promotion
from moderation.operations.releases import promote
from scoring.release import Release
from tests import releases

TEXTS = ["Cheap pills, call 1-800 now", "See you at the river tonight"]


def promote_with(candidate: Release, *, models: Path, at: datetime) -> Promotion:
    return promote.promote(
        folder=candidate.folder,
        report=releases.report(candidate=candidate, live=scorer.release()),
        repository=models,
        actor=None,
        at=at,
    )
