"""The posts of some hours with their traits, and how many authors have each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import F
from django.db.models.functions import Left

from moderation.models import Post, PostLink, Score
from moderation.queries.quality import drift_traits
from moderation.queries.quality.drift_traits import BUCKETS, Trait, TraitFamily

MOST_POSTS = 10_000
"""Posts read of one block or day; of more, an even part by their ids."""

_CHUNK = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPost:
    """A scored post; `languages`, `domains` and `route` as sent and routed, `traits` without repetitions."""

    post_id: int
    author_id: int
    language: str
    route: str
    spam_probability: float
    domains: tuple[str, ...]
    traits: frozenset[Trait]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How many posts and authors there were, and how many authors in each bucket: unsigned 16-bit."""

    posts: int
    authors: int
    counts: npt.NDArray[np.uint16]


def counted(*, platform_id: int, start: datetime, end: datetime) -> Counted:
    """Count the authors of each bucket among the posts received at or after `start` and before `end`.

    An author counts once, however often they write: one account's flood or a thread of two is no drift.
    """
    of_author: dict[int, set[int]] = {}
    posts = 0
    for post in seen(platform_id=platform_id, start=start, end=end):
        posts += 1
        of_author.setdefault(post.author_id, set()).update(map(drift_traits.bucket, post.traits))
    places = np.fromiter((place for buckets in of_author.values() for place in buckets), dtype=np.int64)
    return Counted(
        posts=posts,
        authors=len(of_author),
        counts=np.bincount(places, minlength=BUCKETS).astype(np.uint16),
    )


def seen(*, platform_id: int, start: datetime, end: datetime) -> Iterator[SeenPost]:
    """Yield the first text of each post with its first score, by arrival; those not scored are left out."""
    within = {"platform": platform_id, "received_at__gte": start, "received_at__lt": end}
    every = -(-Post.objects.filter(erased_at__isnull=True, **within).count() // MOST_POSTS)
    scores = Score.objects.filter(
        generation=1,
        revision__number=1,
        revision__post__erased_at__isnull=True,
        **{f"revision__post__{name}": value for name, value in within.items()},
    )
    if every > 1:
        scores = scores.annotate(part=F("revision__post_id") % every).filter(part=0)
    rows = scores.order_by("revision__post__received_at", "revision__post_id").values(
        "spam_probability",
        "route",
        "features",
        "schema_hash",
        "revision_id",
        post_id=F("revision__post_id"),
        author_id=F("revision__post__author_id"),
        language=F("revision__language"),
        text=Left("revision__text", drift_traits.READ_CHARACTERS),
    )
    stored: Iterator[Any] = rows.iterator(chunk_size=_CHUNK)
    while chunk := list(islice(stored, _CHUNK)):
        yield from _posts(chunk)


def _posts(rows: Sequence[dict[str, Any]]) -> Iterator[SeenPost]:
    domains: dict[int, set[str]] = {}
    links = PostLink.objects.filter(revision__in=[row["revision_id"] for row in rows])
    for revision_id, name in links.order_by().values_list("revision_id", "domain__name"):
        domains.setdefault(revision_id, set()).add(name)
    for row in rows:
        linked = tuple(sorted(domains.get(row["revision_id"], ())))
        language = row["language"].partition("-")[0].casefold()
        yield SeenPost(
            post_id=row["post_id"],
            author_id=row["author_id"],
            language=language,
            route=row["route"],
            spam_probability=row["spam_probability"],
            domains=linked,
            traits=frozenset(_traits(row, language=language, domains=linked)),
        )


def _traits(row: dict[str, Any], *, language: str, domains: Sequence[str]) -> Iterator[Trait]:
    yield from drift_traits.of_text(row["text"])
    yield from drift_traits.of_score(
        spam_probability=row["spam_probability"],
        route=row["route"],
        features=row["features"],
        schema_hash=row["schema_hash"],
    )
    yield TraitFamily.LANGUAGE, language
    for name in domains:
        yield TraitFamily.DOMAIN, name
