"""Request exports of labels, and withdraw them when their content was erased; `export_build` builds them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from moderation import enqueue
from moderation.models import Export, Label, Platform, User
from moderation.models.exports import ExportFormat, ExportState
from moderation.operations.audit import entries
from moderation.operations.infrastructure import advisory_locks, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.operations.labels import export_files, export_write
from moderation.operations.labels.export_formats import MEDIA_TYPES
from moderation.queries.decisions.feeds import Position
from moderation.queries.labels.labels import LabelFilter

_audit = entries.writer("export")
PATIENCE = timedelta(seconds=60)
"""After this time the message of a waiting export counts as lost, and the sweep sends another."""


class NotBuilt(Exception):
    """The export has no file, or an earlier version made it: no increment can follow it."""


def request(
    *,
    requested_by: User,
    wanted: LabelFilter,
    at: datetime,
    platform: Platform | None = None,
    form: str = ExportFormat.JSONL,
    has_weights: bool = True,
) -> Export:
    """Request an export; a task builds it. It has the addresses of posts if the user may read them."""
    with transaction.atomic():
        row = Export.objects.create(
            requested_by=requested_by,
            platform=platform,
            requested_at=at,
            since=wanted.since,
            # Increments are read when they are built: the window has no end, so that erasures find it.
            until=wanted.until or (at if wanted.after is None else None),
            format=form,
            splits=list(wanted.splits),
            has_weights=has_weights,
            has_addresses=requested_by.may_read_addresses,
            after=None if wanted.after is None else export_write.as_json(wanted.after),
            lease_until=at + PATIENCE,
        )
        _audit("export.requested", row, actor=requested_by, at=at)
        enqueue.export(export_id=row.pk)
    return row


def may_download(export: Export, *, person: User) -> bool:
    """Return whether a user may have the file; one with addresses needs the right to read them."""
    return person.may_read_addresses or not export.has_addresses


def positions_of(export: Export) -> dict[str, Position]:
    """Return how far the feeds of labels are in an export's file: `after` of the next. Raises NotBuilt."""
    positions = (export.manifest or {}).get("positions")
    if positions is None:
        raise NotBuilt(f"Export {export.pk} does not say how far it goes; begin with a whole one.")
    return export_write.from_json(positions)


def media_type_of(export: Export) -> str:
    """Return the media type of an export's file."""
    return MEDIA_TYPES[ExportFormat(export.format)]


@transactions.required
def withdraw(*, post_ids: Sequence[int]) -> None:
    """Withdraw the exports that may hold these posts. Call inside the transaction that erases them.

    A ready one fails, and its file is deleted. One that is being built is only locked: it waits for this
    transaction to end before it is published, and leaves the erased rows out. A waiting one starts after this
    transaction, and so never reads them.
    """
    advisory_locks.take(AdvisoryLock.ERASURES, is_shared=True)
    rows = [row for row in _touched(post_ids) if row.state == ExportState.READY]
    names = [row.file_name for row in rows]
    for row in rows:
        row.state, row.file_name = ExportState.FAILED, ""
        row.error = "A post in it was erased; ask for a new export."
    Export.objects.bulk_update(rows, ["state", "error", "file_name"])
    # Deleted before a rollback, a file would be gone while its row names it again.
    transaction.on_commit(lambda: export_files.delete(names))


def _touched(post_ids: Sequence[int]) -> list[Export]:
    """Lock the exports that are or are being built whose window holds a label of these posts."""
    labels = (
        Label.objects.filter(post__in=post_ids).values_list("labelled_at", "post__platform_id").distinct()
    )
    pairs = list(labels)
    if not pairs:
        return []
    start, end = min(at for at, _ in pairs), max(at for at, _ in pairs)
    rows = (
        Export.objects.select_for_update(of=("self",))
        .filter(state__in=(ExportState.BUILDING, ExportState.READY))
        .filter(Q(until__gt=start) | Q(until__isnull=True), Q(since__lte=end) | Q(since__isnull=True))
        .filter(Q(platform__in={platform for _, platform in pairs}) | Q(platform__isnull=True))
    )
    return [row for row in rows.order_by("id") if any(_holds(row, *label) for label in pairs)]


def _holds(row: Export, labelled_at: datetime, platform_id: int) -> bool:
    return (
        row.platform_id in (None, platform_id)
        and (row.since is None or row.since <= labelled_at)
        and (row.until is None or labelled_at < row.until)
    )
