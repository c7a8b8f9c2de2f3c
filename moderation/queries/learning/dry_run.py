"""The posts of the last seven days whose route other thresholds would change, one by one."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Left

from moderation.models import Score
from moderation.queries import keyset
from moderation.queries.learning import traffic
from moderation.queries.learning.traffic import Subject
from scoring import routing
from scoring.release import Thresholds
from scoring.routing import ReviewReason

MOST = 200_000
"""Scores that are routed again, the newest first; beyond it the page says that it stopped there."""

_CHUNK = 2_000
_SHOWN = 25
_UNMOVED = (ReviewReason.UNREAD_SCRIPT.value, ReviewReason.HOLD.value)
"""Of these a human sees each, whatever the thresholds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """So many posts that would have gone another way."""

    before: str
    after: str
    posts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPost:
    """A post that would have gone another way."""

    id: int
    post_id: int
    excerpt: str
    spam_probability: float
    scored_at: datetime
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What would have changed; `is_whole` unless there were more than `MOST` scores to look at."""

    changes: tuple[Change, ...]
    is_whole: bool

    @property
    def posts(self) -> int:
        """The posts that would have gone another way."""
        return sum(change.posts for change in self.changes)


def count(about: Subject, *, wanted: Thresholds, at: datetime) -> DryRun:
    """Route again the posts between old and new thresholds, with every safety bound, and count the changes.

    The audit sample plays no part: a post that it drew counts as what it would have been.
    """
    rows = _between(about, wanted=wanted, at=at).order_by("-pk")
    fields = rows.values("spam_probability", "sub_models", "is_degraded", "route_reason")[: MOST + 1]
    moves: Counter[tuple[str, str]] = Counter()
    seen = 0
    for row in fields.iterator(chunk_size=_CHUNK):
        seen += 1
        if seen > MOST:
            break
        moves[_routes(row, about=about, wanted=wanted)] += 1
    changes = [
        Change(before=before, after=after, posts=posts)
        for (before, after), posts in sorted(moves.items())
        if before != after
    ]
    return DryRun(changes=tuple(changes), is_whole=seen <= MOST)


def posts(about: Subject, *, wanted: Thresholds, at: datetime, cursor: str = "") -> keyset.Page[ChangedPost]:
    """List the changed posts, the newest first. Raises keyset.InvalidCursor."""
    after = keyset.after(cursor, int)
    rows = _between(about, wanted=wanted, at=at)
    if after is not None:
        rows = rows.filter(pk__lt=after[0])
    # One more than is shown, so that the page knows whether there are more.
    found = list(islice(_changed(rows.order_by("-pk"), about=about, wanted=wanted), _SHOWN + 1))
    shown = found[:_SHOWN]
    end = (shown[-1].id,) if len(found) > _SHOWN else None
    return keyset.Page(tuple(shown), end)


def _changed(rows: QuerySet[Score], *, about: Subject, wanted: Thresholds) -> Iterator[ChangedPost]:
    fields: QuerySet[Score, Any] = rows.values(
        "id",
        "spam_probability",
        "sub_models",
        "is_degraded",
        "route_reason",
        "scored_at",
        post_id=F("revision__post_id"),
        excerpt=Left("revision__text", 400),
    )
    for row in fields[:MOST].iterator(chunk_size=200):
        before, after = _routes(row, about=about, wanted=wanted)
        if before != after:
            shown = {
                name: row[name] for name in ("id", "post_id", "excerpt", "spam_probability", "scored_at")
            }
            yield ChangedPost(**shown, before=before, after=after)


def _between(about: Subject, *, wanted: Thresholds, at: datetime) -> QuerySet[Score]:
    """Return the scores between an old threshold and its new one: no other post can go another way."""
    now = about.thresholds
    bands = Q(pk__in=())
    for old, new in ((now.review_from, wanted.review_from), (now.remove_from, wanted.remove_from)):
        bands |= Q(spam_probability__gte=min(old, new), spam_probability__lt=max(old, new))
    return traffic.scores(about, at=at).filter(bands, is_degraded=False).exclude(route_reason__in=_UNMOVED)


def _routes(row: Mapping[str, Any], *, about: Subject, wanted: Thresholds) -> tuple[str, str]:
    before, after = (
        routing.decide(
            probability=row["spam_probability"],
            thresholds=thresholds,
            is_degraded=row["is_degraded"],
            sub_models=row["sub_models"],
            safety=about.release.safety,
        ).route.value
        for thresholds in (about.thresholds, wanted)
    )
    return before, after
