"""The audit log as people read it: who did what when, and how far the chain of hashes reaches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from moderation.models import AuditEntry, AuditLink
from moderation.queries import keyset
from moderation.queries.keyset import Page

_COUNTED = 10_000  # waiting entries; where sealing stands still, counting all of them would take seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """What to show. `since` counts, `until` does not; a subject needs both its parts."""

    actor_id: int | None = None
    is_system: bool = False
    action: str = ""
    subject_kind: str = ""
    subject_id: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One entry; `number` is its place in the chain, None until it is sealed."""

    entry: AuditEntry
    number: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainState:
    """The last link, None in an empty chain, and how many newer entries wait for a seal, to a bound."""

    head: AuditLink | None
    waiting: int
    is_more_waiting: bool
    oldest_waiting_at: datetime | None


def page(*, wanted: AuditFilter, cursor: str = "", limit: int = 50) -> Page[Line]:
    """Return entries, newest first, with their places in the chain. Raises InvalidCursor."""
    rows = AuditEntry.objects.select_related("actor")
    if wanted.actor_id is not None:
        rows = rows.filter(actor=wanted.actor_id)
    elif wanted.is_system:
        rows = rows.filter(actor__isnull=True)
    if wanted.action:
        rows = rows.filter(action=wanted.action)
    if wanted.subject_kind and wanted.subject_id:
        rows = rows.filter(subject_kind=wanted.subject_kind, subject_id=wanted.subject_id)
    if wanted.since:
        rows = rows.filter(at__gte=wanted.since)
    if wanted.until:
        rows = rows.filter(at__lt=wanted.until)
    after = keyset.after(cursor, datetime, int)
    batch = keyset.page(rows, order=("-at", "-pk"), after=after, limit=limit)
    links = AuditLink.objects.filter(entry_id__in=[entry.pk for entry in batch.rows])
    numbers = dict(links.values_list("entry_id", "number"))
    return batch.of(lambda entries: [Line(entry=entry, number=numbers.get(entry.pk)) for entry in entries])


def chain_state() -> ChainState:
    """Return how far the chain reaches; only a walk through all of it tells whether it holds."""
    head = AuditLink.objects.order_by("-number").first()
    newest = AuditLink.objects.order_by("-entry_id").values_list("entry_id", flat=True).first() or 0
    waiting = AuditEntry.objects.filter(pk__gt=newest).order_by("pk")
    oldest = waiting.values_list("at", flat=True).first()
    counted = waiting.values("pk")[: _COUNTED + 1].count()
    return ChainState(
        head=head,
        waiting=min(counted, _COUNTED),
        is_more_waiting=counted > _COUNTED,
        oldest_waiting_at=oldest,
    )
