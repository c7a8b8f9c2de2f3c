"""Feeds for platforms: numbered entries in the order of their numbers."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan

from moderation.models import FeedEntry, Platform
from moderation.models.feed import Stream
from moderation.queries import latest_scores


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a feed: the last row read. The time keeps the order even after a restore."""

    entered_at: datetime
    number: int


@dataclass(frozen=True, kw_only=True)
class Page:
    """Entries in order. `end` is the position of the last row, or the given one if there is none."""

    rows: tuple[FeedEntry, ...]
    end: Position | None
    has_more: bool


def page(
    *,
    platform: Platform,
    stream: Stream,
    since: datetime | None,
    cursor: Position | None,
    limit: int,
) -> Page:
    """Read entries numbered from `since` on and after `cursor`, in one query."""
    entries = FeedEntry.objects.filter(platform=platform, stream=stream, number__isnull=False)
    if since is not None:
        entries = entries.filter(entered_at__gte=since)
    if cursor is not None:
        # A row comparison: the index starts at the cursor, even among many entries of one instant.
        place = Tuple(F("entered_at"), F("number"))
        entries = entries.filter(TupleGreaterThan(place, (cursor.entered_at, cursor.number)))
    rows = list(_related(entries).order_by("entered_at", "number")[: limit + 1])
    shown_rows = tuple(rows[:limit])
    end = _position(shown_rows[-1]) if shown_rows else cursor
    return Page(rows=shown_rows, end=end, has_more=len(rows) > limit)


def _position(entry: FeedEntry) -> Position:
    if entry.entered_at is None or entry.number is None:
        raise LookupError(f"entry {entry.pk} has no number")
    return Position(entry.entered_at, entry.number)


def _related(entries: QuerySet[FeedEntry]) -> QuerySet[FeedEntry]:
    related = ("post__platform", "revision", "score", "reversal", "replaces", "action")
    heavy = ("text", "journey", "links", "media_urls")
    rows = entries.select_related(*(f"decision__{name}" for name in related))
    return rows.prefetch_related("decision__undoes").defer(
        *latest_scores.explaining("decision__score"), *(f"decision__revision__{name}" for name in heavy)
    )
