"""The audit log: for people who did what when, for those who keep a copy its chain of hashes.

A key belongs to one platform, which reads its own acts. While others use the installation, their acts and
those of the whole installation are links without an entry: number and hash keep the chain whole, nothing says
what was done.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Model

from moderation.models import (
    ApiKey,
    AuditEntry,
    AuditLink,
    Author,
    Case,
    Decision,
    Delivery,
    Export,
    GoldenItem,
    LabelDraw,
    Platform,
    Post,
    TrainingRun,
)
from moderation.queries import keyset
from moderation.queries.health import health
from moderation.queries.keyset import Page

_COUNTED = 10_000  # waiting entries; where sealing stands still, counting all of them would take seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """What to show. `since` counts, `until` does not; a subject needs both its parts."""

    actor_id: int | None = None
    is_system: bool = False
    is_people: bool = False
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


def page(*, wanted: AuditFilter, cursor: str = "", limit: int = 50) -> Page[Line]:
    """Return entries, newest first, with their places in the chain. Raises InvalidCursor."""
    names = ("actor__username", "actor__first_name", "actor__last_name")
    shown = ("at", "action", "subject_kind", "subject_id", "details", *names)
    rows = AuditEntry.objects.select_related("actor").only(*shown)
    if wanted.actor_id is not None:
        rows = rows.filter(actor=wanted.actor_id)
    elif wanted.is_system:
        rows = rows.filter(actor__isnull=True)
    if wanted.subject_kind and wanted.subject_id:
        rows = rows.filter(subject_kind=wanted.subject_kind, subject_id=wanted.subject_id)
    asked = {"action": wanted.action, "at__gte": wanted.since, "at__lt": wanted.until}
    rows = rows.filter(**{name: value for name, value in asked.items() if value})
    order, after = ("-at", "-pk"), keyset.after(cursor, datetime, int)
    if wanted.is_people:
        rows = keyset.newest_of_users(rows, user="actor", order=order, after=after, limit=limit)
    batch = keyset.page(rows, order=order, after=after, limit=limit)
    links = AuditLink.objects.filter(entry_id__in=[entry.pk for entry in batch.rows])
    numbers = dict(links.values_list("entry_id", "number"))
    return batch.of(lambda entries: [Line(entry=entry, number=numbers.get(entry.pk)) for entry in entries])


def chain_state() -> ChainState:
    """Return how far the chain reaches; only a walk through all of it tells whether it holds."""
    head = AuditLink.objects.order_by("-number").first()
    counted = health.unsealed().values("pk")[: _COUNTED + 1].count()
    return ChainState(head=head, waiting=min(counted, _COUNTED), is_more_waiting=counted > _COUNTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of the chain with its entry, None where it is not for this reader."""

    link: AuditLink
    entry: AuditEntry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainPage:
    """Links in the order of the chain; `end` is the number of the last one, or where the page began."""

    links: tuple[Link, ...]
    end: int
    has_more: bool


_PLATFORM_OF: dict[str, tuple[type[Model], str]] = {
    "api_key": (ApiKey, "platform"),
    "author": (Author, "platform"),
    "case": (Case, "post__platform"),
    "decision": (Decision, "post__platform"),
    "delivery": (Delivery, "platform"),
    "draw": (LabelDraw, "platform"),
    "export": (Export, "platform"),
    "golden_item": (GoldenItem, "platform"),
    "platform": (Platform, "pk"),
    "post": (Post, "platform"),
    "training_run": (TrainingRun, "platform"),
}
"""By the kind of an entry's subject: its rows, and how they lead to the platform."""


def chain_page(*, platform: Platform, after: int, limit: int) -> ChainPage:
    """Return the links after a number, as a platform's key may read them."""
    rows = list(AuditLink.objects.filter(number__gt=after).order_by("number")[: limit + 1])
    links = rows[:limit]
    entries = AuditEntry.objects.select_related("actor").in_bulk([link.entry_id for link in links])
    own = _own(list(entries.values()), platform=platform)
    return ChainPage(
        links=tuple(
            Link(link=link, entry=entries[link.entry_id] if link.entry_id in own else None) for link in links
        ),
        end=links[-1].number if links else after,
        has_more=len(rows) > limit,
    )


def _own(entries: Sequence[AuditEntry], *, platform: Platform) -> set[int]:
    """Return the entries that a platform may read, by id: all of them if nobody shares the installation."""
    if not Platform.objects.exclude(pk=platform.pk).exists():
        return {entry.pk for entry in entries}
    subjects: defaultdict[str, set[str]] = defaultdict(set)
    for entry in entries:
        if entry.subject_kind in _PLATFORM_OF:
            subjects[entry.subject_kind].add(entry.subject_id)
    theirs = {kind: _of_platform(kind, ids, platform=platform) for kind, ids in subjects.items()}
    return {
        entry.pk
        for entry in entries
        if entry.details.get("platform") == platform.pk
        or entry.subject_id in theirs.get(entry.subject_kind, set())
    }


def _of_platform(kind: str, ids: set[str], *, platform: Platform) -> set[str]:
    model, way = _PLATFORM_OF[kind]
    rows = model._default_manager.filter(pk__in=ids, **{way: platform.pk})  # noqa: SLF001 - documented
    return {str(pk) for pk in rows.values_list("pk", flat=True)}
