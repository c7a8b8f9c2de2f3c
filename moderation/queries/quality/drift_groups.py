"""Which posts an alarm is about: traits that grew are one group where they are mostly on the same posts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderation.queries.quality import drift_traits
from moderation.queries.quality.drift_posts import SeenPost
from moderation.queries.quality.drift_reference import Growth
from moderation.queries.quality.drift_traits import Trait, TraitFamily

FEWEST_AUTHORS = 5
"""Words that fewer authors wrote are not stored: they could be about somebody."""

MOST_TRAITS, MOST_GROUPS = 12, 5
_MOST_SLICES, _SAMPLE = 5, 12


@dataclass(slots=True)
class Group:
    """Traits, the first with the most evidence, and the posts that have this first one."""

    traits: list[Trait]
    posts: dict[int, SeenPost]


def groups(posts: Iterable[SeenPost], *, strength: Mapping[int, float]) -> list[Group]:
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


def has_any(posts: Mapping[int, SeenPost], traits: Sequence[Mapping[str, Any]]) -> bool:
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


def slices(group: Group, posts: Sequence[SeenPost]) -> list[dict[str, Any]]:
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


def _slices(post: SeenPost) -> Iterable[tuple[str, str]]:
    yield "language", post.language
    yield "route", post.route
    for name in post.domains:
        yield "domain", name


def _authors(posts: Mapping[int, SeenPost]) -> int:
    return len({post.author_id for post in posts.values()})
