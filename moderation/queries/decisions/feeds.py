"""Feeds as the platform may read them: what has a number, in the order of the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Q, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan

from moderation.models import FeedEntry, Platform
from moderation.models.feed import Stream


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a feed: the last row that was read. The time orders it also after a restore."""

    entered_at: datetime
    number: int


@dataclass(frozen=True, slots=True)
class EarlierPosition:
    """What cursors named before feeds had numbers: a decision that was read last."""

    effective_at: datetime
    id: int


AnyPosition = Position | EarlierPosition


@dataclass(frozen=True, kw_only=True)
class Page:
    """Entries in order. `end` is where the next page begins: at the last row, or where this one began."""

    rows: tuple[FeedEntry, ...]
    end: AnyPosition | None
    has_more: bool


def page(
    *,
    platform: Platform,
    stream: Stream,
    since: datetime | None,
    cursor: AnyPosition | None,
    limit: int,
) -> Page:
    """Read what was numbered from `since` on and after `cursor`, in one query; two for an earlier cursor."""
    entries = FeedEntry.objects.filter(platform=platform, stream=stream, number__isnull=False)
    if since is not None:
        entries = entries.filter(entered_at__gte=since)
    after = _place_of(platform, stream, cursor) if isinstance(cursor, EarlierPosition) else cursor
    if after is not None:
        # Compared as a row, the index starts at the cursor, also among many of one instant.
        place = Tuple(F("entered_at"), F("number"))
        entries = entries.filter(TupleGreaterThan(place, (after.entered_at, after.number)))
    # Only the release before undid what has a number.
    is_undone = Q(decision__reversal__isnull=False, decision__reversal__replacement__isnull=True)
    rows = entries.exclude(is_undone) if stream == Stream.DECISIONS else entries
    found = list(_related(rows).order_by("entered_at", "number")[: limit + 1])
    shown = tuple(found[:limit])
    end = _position(shown[-1]) if shown else cursor
    return Page(rows=shown, end=end, has_more=len(found) > limit)


def _place_of(platform: Platform, stream: Stream, cursor: EarlierPosition) -> Position:
    """Return where the decision stands now; where it has no number, a place before all that came later."""
    entry = FeedEntry.objects.filter(
        platform=platform, stream=stream, decision=cursor.id, number__isnull=False
    ).first()
    return _position(entry) if entry else Position(cursor.effective_at, 0)


def _position(entry: FeedEntry) -> Position:
    if entry.entered_at is None or entry.number is None:
        raise LookupError(f"entry {entry.pk} has no number")
    return Position(entry.entered_at, entry.number)


def _related(entries: QuerySet[FeedEntry]) -> QuerySet[FeedEntry]:
    related = ("post__platform", "revision", "score", "reversal", "replaces")
    heavy = (
        "score__record",
        "score__features",
        "score__contributions",
        "score__word_contributions",
        "revision__text",
        "revision__journey",
        "revision__links",
        "revision__media_urls",
    )
    return entries.select_related(*(f"decision__{name}" for name in related)).defer(
        *(f"decision__{name}" for name in heavy)
    )
