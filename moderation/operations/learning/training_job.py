"""Carry out training runs under a lease, and take in what they made.

A killed worker's run is taken up again where its steps ended.

The worker renews the lease while the child process works. Cancelling or losing the row ends the process.
"""

import os
import shutil
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q

from moderation import enqueue
from moderation.models import TrainingRun
from moderation.models.training_runs import OPEN_STATES, TrainingState, TrainingStep
from moderation.operations.cases import suspicious_labels
from moderation.operations.learning import training_runs
from moderation.operations.learning.training_process import (
    PackagesMissing,
    StillRunning,
    TrainingProcess,
    install_command,
    next_release_command,
)
from moderation.operations.learning.training_runs import PATIENCE
from moderation.operations.releases import store
from moderation.queries.health import clocks
from scoring import gate, release
from scoring.release import Release

log = structlog.get_logger(__name__)

LEASE = timedelta(seconds=60)
"""Renewed every BEAT_SECONDS; once it has expired, another worker takes the run up."""

BEAT_SECONDS = 2.0
MOST_ATTEMPTS = 5
LONGEST_SECONDS = 12 * 3_600
_worker_stops = threading.Event()


class _Lost(Exception):
    """The run was cancelled, or another worker has it by now."""


class _Away(Exception):
    """The process lost the database or Triton: the run goes on after its lease, if it has tries left."""


class _WorkerStops(Exception):
    """This worker is to end: the run goes back."""


class _Failed(Exception):
    """The process failed; the message is for the people who read the run."""


def stop_worker() -> None:
    """Hand the run of this worker back; called when the worker is told to end."""
    _worker_stops.set()


def run(*, run_id: int, at: datetime) -> None:
    """Carry out a run that waits, or whose worker died. Safe to run twice and concurrently."""
    row = _claim(run_id, at=at)
    if row is None:
        return
    attempt = _Attempt(row=row, at=at)
    try:
        attempt.install()
        attempt.train()
        collect(row)
        training_runs.end(row, state=TrainingState.READY, at=attempt.now())
        doubt_labels(row, at=attempt.now())
    except (_Lost, _Away) as reason:
        log.info("training_lost", run=row.pk, attempt=row.attempts, reason=type(reason).__name__)
    except (_WorkerStops, StillRunning) as reason:
        log.info("training_handed_back", run=row.pk, reason=type(reason).__name__)
        attempt.hand_back()
    except (_Failed, PackagesMissing) as reason:
        attempt.fail(str(reason))
    except UNUSABLE as reason:
        attempt.fail(f"The result cannot be used: {type(reason).__name__}: {reason}")
    # After other errors, such as a lost database, the lease expires and the sweep sends the run again.


def sweep(*, at: datetime) -> int:
    """Enqueue what a lost message or a killed worker left open, begin a scheduled run, delete old folders.

    Returns how many runs were enqueued. Raises OSError.
    """
    with transaction.atomic():
        due = TrainingRun.objects.select_for_update(skip_locked=True, of=("self",)).filter(
            _lease_is_over(at=at), state__in=OPEN_STATES
        )
        rows = list(due.order_by("id"))
        for row in rows:
            _send_again(row, at=at)
    training_runs.schedule(at=at)
    tidy()
    return len(rows)


@dataclass(frozen=True, kw_only=True)
class _Attempt:
    """One attempt at a run; `row` as it was claimed."""

    row: TrainingRun
    at: datetime
    _started: float = field(default_factory=time.monotonic)

    def install(self) -> None:
        """Install what training needs, if it is missing. Raises PackagesMissing and as `_follow`."""
        self._keep(step=TrainingStep.PACKAGES)
        if command := install_command():
            self._follow(command, opening="installing training packages", is_step=False)

    def train(self) -> None:
        """Make and judge the candidate; raises as `_follow`."""
        command = next_release_command(
            folder=folder_of(self.row),
            platform=self.row.platform.slug if self.row.platform else None,
        )
        self._follow(command, opening=f"attempt {self.row.attempts}", is_step=True)

    def hand_back(self) -> None:
        """Let the next worker take the run up at once, unless it is no longer ours."""
        ours = TrainingRun.objects.filter(self._is_ours)
        ours.update(state=TrainingState.WAITING, lease_until=self.now(), attempts=self.row.attempts - 1)

    def fail(self, reason: str) -> None:
        """Mark the run as failed, unless it is no longer ours, and delete its labels."""
        training_runs.end(self.row, state=TrainingState.FAILED, at=self.now(), error=reason)
        forget_labels(self.row)

    def now(self) -> datetime:
        """Return the time, counted from the task's clock."""
        return self.at + timedelta(seconds=time.monotonic() - self._started)

    def _follow(self, command: Sequence[str], *, opening: str, is_step: bool) -> None:
        """Start a process and keep the lease until it ends; raises what `run` handles."""
        folder = folder_of(self.row)
        with TrainingProcess(command, folder=folder, opening=opening) as process:
            while process.exit_code() is None:
                if _worker_stops.wait(BEAT_SECONDS):
                    raise _WorkerStops
                self._keep(log=process.log(), step=(process.step() if is_step else "") or self.row.step)
            self._keep(log=process.log())
            if process.exit_code() == os.EX_TEMPFAIL:
                raise _Away
            if process.exit_code():
                raise _Failed("The candidate was not made: the end of the log says why.")

    def _keep(self, **progress: str) -> None:
        if time.monotonic() - self._started > LONGEST_SECONDS:
            raise _Failed(f"It took longer than {LONGEST_SECONDS // 3_600} h.")
        if step := progress.get("step"):
            self.row.step = step
        if not TrainingRun.objects.filter(self._is_ours).update(lease_until=self.now() + LEASE, **progress):
            raise _Lost

    @property
    def _is_ours(self) -> Q:
        return Q(pk=self.row.pk, state=TrainingState.RUNNING, attempts=self.row.attempts)


def _lease_is_over(*, at: datetime) -> Q:
    return clocks.has_passed("lease_until", at=at, longest=max(LEASE, PATIENCE))


def _claim(run_id: int, *, at: datetime) -> TrainingRun | None:
    """Take the lease; None if there is nothing to do, or not yet."""
    is_free = Q(state=TrainingState.WAITING) | Q(state=TrainingState.RUNNING) & _lease_is_over(at=at)
    with transaction.atomic():
        # SKIP LOCKED: a locked row is being claimed by another worker, or cancelled.
        rows = TrainingRun.objects.select_for_update(skip_locked=True, of=("self",))
        row = rows.select_related("platform").filter(is_free, pk=run_id, attempts__lt=MOST_ATTEMPTS).first()
        if row is None:
            return None
        row.attempts, row.state, row.error = row.attempts + 1, TrainingState.RUNNING, ""
        row.started_at, row.lease_until = row.started_at or at, at + LEASE
        row.save(update_fields=("attempts", "state", "error", "started_at", "lease_until"))
    return row


def _send_again(row: TrainingRun, *, at: datetime) -> None:
    if row.attempts < MOST_ATTEMPTS:
        row.state, row.lease_until = TrainingState.WAITING, at + PATIENCE
        row.save(update_fields=("state", "lease_until"))
        enqueue.training(run_id=row.pk)
        return
    error = f"It was begun {row.attempts} times and never finished: see the logs. Then start another."
    training_runs.end(row, state=TrainingState.FAILED, at=at, error=error)


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
