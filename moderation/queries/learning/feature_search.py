"""Posts by the value that a feature had when they were scored.

No index can hold a hundred features: the time of the score bounds what is read, and at most `MOST` scores of
the period are looked at, the newest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Left

from moderation.models import Score
from moderation.models.scores import RouteChoice
from moderation.queries import case_access, keyset
from moderation.queries.keyset import Page
from scoring.explain import CONTENT_TEXT
from scoring.features import NAMES, SCHEMA_HASH

MOST = 200_000
"""More scores than these are not looked at."""

KNOWN = (CONTENT_TEXT, *NAMES)
"""The features that can be searched by: those of today's schema, and the content model's probability."""

_READ_LENGTH = 640
_NAN = float("nan")


class Comparison(StrEnum):
    """How a stored value compares with the wanted one."""

    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class FeatureFilter:
    """A feature of `KNOWN` whose value compares so, in scores of [since, until)."""

    feature: str
    comparison: Comparison
    value: float
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPost:
    """A post and its stored value."""

    post_id: int
    external_id: str
    excerpt: str
    stored: float | None
    spam_probability: float
    route: str
    scored_at: datetime

    @property
    def value(self) -> float | None:
        """The value, None if it was unknown: NaN is stored for that, which differs from itself."""
        return self.stored if self.stored == self.stored else None


@dataclass(frozen=True, kw_only=True)
class FoundPosts:
    """A page of them; `is_whole` unless there are more scores in the period than were looked at."""

    page: Page[FoundPost]
    is_whole: bool


def posts(*, wanted: FeatureFilter, cursor: str = "", limit: int = 50) -> FoundPosts:
    """Return posts, the latest score first. Raises InvalidCursor."""
    after = keyset.after(cursor, datetime, int)
    oldest = _oldest(wanted)
    found = _matching(wanted, since=oldest or wanted.since)
    page = keyset.page(found, order=("-scored_at", "-pk"), after=after, limit=limit)
    return FoundPosts(page=page.of(_posts), is_whole=oldest is None)


def _oldest(wanted: FeatureFilter) -> datetime | None:
    """Return when the last score was made that is looked at, None if all of the period are."""
    times = _within(wanted, since=wanted.since).order_by("-scored_at").values_list("scored_at", flat=True)
    beyond = list(times[MOST : MOST + 1])
    return beyond[0] if beyond else None


def _within(wanted: FeatureFilter, *, since: datetime) -> QuerySet[Score]:
    # All routes: the index by route and time bounds the search.
    return Score.objects.filter(
        route__in=RouteChoice.values, scored_at__gte=since, scored_at__lt=wanted.until
    ).order_by()


def _matching(wanted: FeatureFilter, *, since: datetime) -> QuerySet[Score, Any]:
    rows = _within(wanted, since=since).filter(
        ban__isnull=True,
        generation=F("revision__scoring__generation"),
        revision__number=F("revision__post__latest_revision"),
        revision__post__erased_at__isnull=True,
    )
    rows = rows.exclude(Exists(case_access.blind_cases().filter(post=OuterRef("revision__post"))))
    if wanted.feature == CONTENT_TEXT:
        name = "content_probability"
        rows = rows.filter(**_content(wanted))
    else:
        name = f"features__{NAMES.index(wanted.feature)}"
        rows = rows.filter(schema_hash=SCHEMA_HASH, **_compared(name, wanted))
    return rows.values(
        "pk",
        "scored_at",
        "spam_probability",
        "route",
        post_id=F("revision__post_id"),
        external_id=F("revision__post__external_id"),
        excerpt=Left("revision__text", _READ_LENGTH),
        stored=F(name),
    )


def _content(wanted: FeatureFilter) -> dict[str, Any]:
    name = "content_probability"
    if wanted.comparison is Comparison.UNKNOWN:
        return {f"{name}__isnull": True}
    return {f"{name}__{_SIDES[wanted.comparison]}": wanted.value}


def _compared(name: str, wanted: FeatureFilter) -> dict[str, Any]:
    """Return the conditions; to PostgreSQL NaN, an unknown value, equals itself and exceeds every number."""
    if wanted.comparison is Comparison.UNKNOWN:
        return {name: _NAN}
    return {f"{name}__{_SIDES[wanted.comparison]}": wanted.value, f"{name}__lt": _NAN}


_SIDES = {Comparison.AT_LEAST: "gte", Comparison.AT_MOST: "lte"}


def _posts(rows: Sequence[dict[str, Any]]) -> list[FoundPost]:
    return [FoundPost(**{name: value for name, value in row.items() if name != "pk"}) for row in rows]
