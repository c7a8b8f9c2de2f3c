"""The posts of some hours with their traits, counted by author; and which of them an alarm is about.

Traits that grew are one group where they are mostly on the same posts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from moderation.queries.quality.drift_reference import Growth
from moderation.queries.quality.drift_traits import BUCKETS, Trait, TraitFamily

FEWEST_AUTHORS = 5
"""Words that fewer authors wrote are not stored: they could be about somebody."""

MOST_TRAITS, MOST_GROUPS = 12, 5
_MOST_SLICES, _SAMPLE = 5, 12

MOST_POSTS = 10_000
"""Posts read of one block or day; of more, an even part by their ids."""

_CHUNK = 1_000


@dataclass(slots=True)
class Group:
    """Traits, the first with the most evidence, and the posts that have this first one."""

    traits: list[Trait]
    posts: "dict[int, SeenPost]"


def groups(posts: "Iterable[SeenPost]", *, strength: Mapping[int, float]) -> list[Group]:
    """Gather the traits in these buckets, the strongest first; the posts are those of one day.

    A trait whose posts mostly have a stronger one joins its group. Traits of few authors are left out.
    """
    having: dict[Trait, dict[int, SeenPost]] = {}
    for post in posts:
        for trait in post.traits:
            if drift_traits.bucket(trait) in strength:
                having.setdefault(trait, {})[post.post_id] = post
    named = {trait: own for trait, own in having.items() if _authors(own) >= FEWEST_AUTHORS}
    ordered = sorted(
        named, key=lambda trait: (-strength[drift_traits.bucket(trait)], -len(named[trait]), trait[1])
    )
    all_groups: list[Group] = []
    for trait in ordered:
        home = next((group for group in all_groups if overlap(named[trait], group.posts) >= 0.5), None)
        if home is not None:
            home.traits.append(trait)
        elif len(all_groups) < MOST_GROUPS:
            all_groups.append(Group([trait], named[trait]))
    return all_groups


def overlap(posts: Mapping[int, object], others: Mapping[int, object]) -> float:
    """Return the share of posts that are among others, 0 to 1."""
    return len(posts.keys() & others.keys()) / len(posts) if posts else 0.0


def has_any(posts: "Mapping[int, SeenPost]", traits: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether most of the posts have one of the stored traits that name something."""
    pairs = {(TraitFamily(trait["family"]), trait["trait"]) for trait in traits}
    pairs = {trait for trait in pairs if trait[0] in (TraitFamily.DOMAIN, TraitFamily.WORDS)} or pairs
    return 2 * sum(bool(post.traits & pairs) for post in posts.values()) > len(posts)


def described(traits: Sequence[Trait], growth: Growth) -> list[dict[str, Any]]:
    """Return traits with the authors who had them in the day, and before."""
    rows = []
    for trait in traits[:MOST_TRAITS]:
        place = drift_traits.bucket(trait)
        rows.append(
            {
                "family": trait[0].value,
                "trait": trait[1],
                "authors": int(growth.now[place]),
                "all_authors": int(growth.authors),
                "authors_before": int(growth.before[place]),
                "all_authors_before": int(growth.authors_before[place]),
            }
        )
    return rows


def slices(group: Group, posts: "Sequence[SeenPost]") -> list[dict[str, Any]]:
    """Count languages, domains and routes among the group's posts, and among all posts of the day."""
    of_all: Counter[tuple[str, str]] = Counter(entry for post in posts for entry in _slices(post))
    of_group: Counter[tuple[str, str]] = Counter(
        entry for post in group.posts.values() for entry in _slices(post)
    )
    return [
        {"kind": kind, "name": name, "posts": number, "all_posts": of_all[kind, name]}
        for dimension in ("language", "domain", "route")
        for (kind, name), number in [entry for entry in of_group.most_common() if entry[0][0] == dimension][
            :_MOST_SLICES
        ]
    ]


def sample(group: Group) -> list[int]:
    """Return the ids of some of the posts, the newest first."""
    return sorted(group.posts, reverse=True)[:_SAMPLE]


def _slices(post: "SeenPost") -> Iterable[tuple[str, str]]:
    yield "language", post.language
    yield "route", post.route
    for name in post.domains:
        yield "domain", name


def _authors(posts: "Mapping[int, SeenPost]") -> int:
    return len({post.author_id for post in posts.values()})


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPost:
    """A scored post; `language`, `domains` and `route` as sent and routed, `traits` without repetitions."""

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
