"""What a training run made: the folder it works in, its candidate and its report."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import structlog
from django.conf import settings

from moderation.models import TrainingRun
from moderation.models.training_runs import OPEN_STATES, TrainingState
from moderation.operations.cases import suspicious_labels
from moderation.operations.releases import store
from scoring import gate, release
from scoring.release import Release

log = structlog.get_logger(__name__)

CANDIDATE, REPORT = "candidate", Path("report") / "report.json"
SUSPICIOUS = "suspicious.jsonl"
_KEPT = 5
"""Finished runs whose folder is kept to be looked at; a candidate's own files are among the kept releases."""


def folder_of(row: TrainingRun) -> Path:
    """Return the folder in which a run works and keeps its results."""
    return Path(settings.LEARNING_DIR) / str(row.pk)


def collect(row: TrainingRun) -> None:
    """Put the candidate and its report into the row, unsaved; keep its files, delete its labels.

    Raises release.Corrupt, gate.Unreadable or OSError.
    """
    made = Release.load(folder_of(row) / CANDIDATE)
    report = gate.read(folder_of(row) / REPORT)
    row.candidate, row.manifest = made.id, dict(made.manifest)
    row.report = report
    row.live = str(report["live"]["id"])
    row.findings = gate.stored(gate.findings(report, candidate=made.id, live=row.live))
    store.files(made)
    forget_labels(row)


def forget_labels(row: TrainingRun) -> None:
    """Delete the exported labels of a run that has ended: they hold the words of posts. Raises OSError."""
    for path in folder_of(row).glob("labels.jsonl*"):
        path.unlink(missing_ok=True)


def doubt_labels(row: TrainingRun, *, at: datetime) -> None:
    """Have the decisions that the run found suspicious judged again blindly.

    The run has ended: a file that cannot be read is logged, and nothing else comes of it.
    """
    path = folder_of(row) / SUSPICIOUS
    if not path.exists():
        return
    try:
        found = suspicious_labels.read(path)
        path.unlink()
    except (OSError, suspicious_labels.Unreadable) as wrong:
        log.warning("suspicions_unreadable", run=row.pk, reason=str(wrong))
        return
    suspicious_labels.ask(suspicions=found, at=at)


def tidy() -> None:
    """Delete the folders of runs without a candidate, and of all but the latest with one. Raises OSError."""
    place = Path(settings.LEARNING_DIR)
    there = {path.name: path for path in place.iterdir() if path.name.isdigit()} if place.is_dir() else {}
    if not there:
        return
    rows = TrainingRun.objects.order_by("-requested_at", "-id")
    still_open = rows.filter(state__in=OPEN_STATES).values_list("pk", flat=True)
    ready = rows.filter(state=TrainingState.READY).values_list("pk", flat=True)[:_KEPT]
    kept = {str(number) for number in (*still_open, *ready)}
    for name, path in there.items():
        if name not in kept:
            shutil.rmtree(path)


UNUSABLE = (release.Corrupt, gate.Unreadable, OSError, KeyError)
"""What makes the result of a run unusable."""
