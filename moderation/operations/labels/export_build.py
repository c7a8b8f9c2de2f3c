"""Build exports: under a lease, so that a lost message or a killed worker only delays one.

Every attempt writes to its own file, and publishes it only while the row still names it: two concurrent
builders never share a file. What was erased since the labels were read is left out at the end, so that
erasures neither wait for an export nor make it begin anew.
"""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from django.db import OperationalError, connection, transaction
from django.db.models import Q

from moderation import enqueue
from moderation.models import Export
from moderation.models.exports import ExportState
from moderation.operations.infrastructure import advisory_locks
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.operations.labels import export_files, export_write
from moderation.operations.labels.export_files import path_of
from moderation.operations.labels.export_write import Draft
from moderation.operations.labels.exports import PATIENCE
from moderation.operations.outbox import announce
from moderation.queries.health import clocks
from moderation.queries.labels import label_changes, labels
from moderation.queries.labels.labels import LabelFilter

log = structlog.get_logger(__name__)

LEASE = timedelta(seconds=120)
"""Renewed with every few thousand labels; once it has expired, another worker starts over."""

LONGEST_SECONDS = 3_600
MOST_ATTEMPTS = 5
_SWEPT = 100
_ERASURES_SECONDS = 5
_OPEN = (ExportState.WAITING, ExportState.BUILDING)


class _Lost(Exception):
    """Another worker has this export by now: nothing is published."""


class _TooLong(Exception):
    """More than LONGEST_SECONDS."""


def build(*, export_id: int, at: datetime) -> None:
    """Build an export that waits, or whose builder died. Safe to run twice and concurrently."""
    row = _claim(export_id, at=at)
    if row is None:
        return
    attempt = _Attempt(row=row, at=at)
    try:
        attempt.run()
    except _Lost:
        log.info("export_lost", export=row.pk, attempt=row.attempts)
        export_files.delete([row.file_name])
    except _TooLong:
        hours = round(LONGEST_SECONDS / 3600, 1)
        attempt.fail(f"It took longer than {hours} h; ask for a shorter time or for fewer splits.")
    except OSError as failure:
        reason = failure.strerror or type(failure).__name__
        attempt.fail(f"The file could not be written ({reason}): mend the export folder, then ask again.")
    # After other errors, such as a lost database, it is unknown whether the row was committed: leave row and
    # file. The lease expires, and the next attempt deletes the file.


def sweep(*, at: datetime) -> int:
    """Enqueue what a lost message or a killed worker left open, and delete files that no export names.

    Returns how many exports were enqueued. Raises OSError.
    """
    with transaction.atomic():
        is_over = _lease_is_over(at=at) | Q(lease_until__isnull=True, requested_at__lt=at - PATIENCE)
        exports = Export.objects.select_for_update(skip_locked=True, of=("self",)).filter(
            is_over, state__in=_OPEN
        )
        rows = list(exports.order_by("requested_at", "id")[:_SWEPT])
        for row in rows:
            _send_back(row, at=at)
        Export.objects.bulk_update(rows, ["state", "lease_until", "error", "file_name"])
    export_files.delete_strays()
    return sum(row.state == ExportState.WAITING for row in rows)


@dataclass(frozen=True, kw_only=True)
class _Attempt:
    """One attempt at an export; `row` as it was claimed."""

    row: Export
    at: datetime
    _started: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """Write file and manifest, and mark the export as ready. Raises _Lost, _TooLong or OSError."""
        selection = _filter(self.row)
        expected = (
            labels.count(wanted=selection)
            if selection.after is None
            else label_changes.count(wanted=selection)
        )
        self._keep(rows_expected=expected)
        draft = Draft(
            out=path_of(self.row),
            wanted=selection,
            at=self.at,
            form=self.row.format,
            has_weights=self.row.has_weights,
            has_addresses=self.row.has_addresses,
            progress=lambda count: self._keep(rows_written=count),
        )
        draft.write()
        # Most of it before the row is locked: the erasures of that moment wait.
        draft.leave_out_erased()
        self.publish(draft)

    def publish(self, draft: Draft) -> None:
        """Mark the export as ready. Raises _Lost or OSError."""
        with transaction.atomic():
            # An erasure locks the row, too: either it sees the published file, or this sees what it erased.
            rows = Export.objects.select_for_update(of=("self",)).select_related("platform")
            row = rows.filter(self._is_ours).first()
            if row is None:
                raise _Lost
            draft.leave_out_erased()
            counts = draft.manifest["counts"]
            row.manifest, row.rows_written = draft.manifest, counts["labels"] + counts["retracted"]
            row.state, row.lease_until, row.error = ExportState.READY, None, ""
            row.save(update_fields=("manifest", "rows_written", "state", "lease_until", "error"))
            announce.export_ready(row, at=self._now())

    def fail(self, reason: str) -> None:
        """Mark the export as failed, unless another worker has it by now."""
        rows = Export.objects.filter(self._is_ours)
        rows.update(state=ExportState.FAILED, error=reason[:500], file_name="", lease_until=None)
        export_files.delete([self.row.file_name])

    @property
    def _is_ours(self) -> Q:
        return Q(pk=self.row.pk, state=ExportState.BUILDING, attempts=self.row.attempts)

    def _keep(self, **progress: int) -> None:
        if time.monotonic() - self._started > LONGEST_SECONDS:
            raise _TooLong
        if not Export.objects.filter(self._is_ours).update(lease_until=self._now() + LEASE, **progress):
            raise _Lost

    def _now(self) -> datetime:
        return self.at + timedelta(seconds=time.monotonic() - self._started)


def _lease_is_over(*, at: datetime) -> Q:
    return clocks.has_passed("lease_until", at=at, longest=max(LEASE, PATIENCE))


def _claim(export_id: int, *, at: datetime) -> Export | None:
    """Take the lease; None if there is nothing to do, or not yet."""
    is_free = Q(state=ExportState.WAITING) | Q(state=ExportState.BUILDING) & _lease_is_over(at=at)
    try:
        with transaction.atomic():
            _wait_for_erasures()
            # SKIP LOCKED: a locked row is being claimed by another worker, or withdrawn by an erasure.
            rows = Export.objects.select_for_update(skip_locked=True, of=("self",))
            row = rows.filter(is_free, pk=export_id, attempts__lt=MOST_ATTEMPTS).first()
            if row is None:
                return None
            left_behind = row.file_name
            row.attempts, row.rows_written, row.error = row.attempts + 1, 0, ""
            row.state, row.lease_until = ExportState.BUILDING, at + LEASE
            row.file_name = export_files.name_of(row)
            row.save(update_fields=("attempts", "rows_written", "error", "state", "lease_until", "file_name"))
    except OperationalError as reason:
        log.info("export_postponed", export=export_id, reason=type(reason.__cause__).__name__)
        return None
    export_files.delete([left_behind])
    return row


def _wait_for_erasures() -> None:
    """Wait for every erasure in progress: what is read afterwards is already wiped.

    New erasures wait only briefly. They lock the export's row after this lock, in the same order as here.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{_ERASURES_SECONDS}s'")
    advisory_locks.take(AdvisoryLock.ERASURES)


def _send_back(row: Export, *, at: datetime) -> None:
    row.file_name = ""  # the file of a dead builder belongs to no export from now on
    if row.attempts < MOST_ATTEMPTS:
        row.state, row.lease_until = ExportState.WAITING, at + PATIENCE
        enqueue.export(export_id=row.pk)
        return
    why = row.error or "Its worker was stopped each time: see the worker's log."
    row.state, row.lease_until = ExportState.FAILED, None
    row.error = f"It was begun {row.attempts} times and never finished. {why} Then ask for a new export."


def _filter(row: Export) -> LabelFilter:
    return LabelFilter(
        since=row.since,
        until=row.until,
        platform_id=row.platform_id,
        splits=tuple(row.splits),
        after=None if row.after is None else export_write.from_json(row.after),
    )
