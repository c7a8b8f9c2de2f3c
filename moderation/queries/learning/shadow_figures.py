"""A candidate beside the live release on the same posts: differences with intervals, by slice. No database.

Only posts on which the two routes differ can make a difference, and how many of these there are is counted,
not estimated. So the labels of these posts alone say how much better or worse the candidate is, and without
any label the difference is at most their share.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from moderation.queries.quality import estimates
from moderation.queries.quality.estimates import Estimate
from scoring.gate import Finding

LOOKS = 14
"""Two weeks, looked at every day."""

ALPHA = 0.05
"""All intervals of a comparison hold together with 95 %."""

TOLERATED = 0.001
"""One post of a thousand: a difference that is certainly smaller is not held against a candidate."""

MOST_SLICES = 30
"""Slices that are compared: those with the most posts."""

_NAMED = 5
"""Slices that an answer names; more are counted."""

Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]
Words = npt.NDArray[Any]
Slice = tuple[str, str]
Routes = tuple[str, str]
"""The live release's route and the candidate's."""

ALL: Slice = ("all", "")


class Mistake(StrEnum):
    """What the two releases can get wrong, or right, where their routes differ."""

    MISSED = "missed"
    WRONG = "wrong"
    REMOVED = "removed"


class Outcome(StrEnum):
    """What is known of a difference."""

    WORSE = "worse"
    BETTER = "better"
    NEAR = "near"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowLabels:
    """Labelled posts, a column for each field; `slices` has a column for each dimension.

    `chance` in (0, 1] is that of the label. `live` and `candidate` are routes.
    """

    is_spam: Flags
    chance: Numbers
    live: Words
    candidate: Words
    slices: Mapping[str, Words]

    def __len__(self) -> int:
        return len(self.is_spam)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Candidate minus live, as a share of a slice's posts; `value` is None with fewer than 20 labels.

    `posts` both scored; on `differing` of them this mistake could differ, and `labels` of these are labelled.
    """

    dimension: str
    name: str
    mistake: Mistake
    posts: int
    differing: int
    labels: int
    value: float | None
    low: float
    high: float
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A figure of each release, estimated from the same labels."""

    name: str
    live: Estimate
    candidate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything that labels say of a candidate; `routes` counts all posts by both routes."""

    rates: tuple[Rate, ...]
    differences: tuple[Difference, ...]
    routes: Mapping[Routes, int]

    @property
    def worse(self) -> list[Difference]:
        """Where the candidate is certainly worse."""
        return [one for one in self.differences if one.outcome == Outcome.WORSE]


def compare(labels: ShadowLabels, *, counted: Mapping[Slice, Counter[Routes]]) -> Comparison:
    """Compare on all posts, and on each slice whose routes differ.

    `counted` are all posts that both scored, by slice and by both routes.
    """
    largest = sorted(counted, key=lambda one: (one != ALL, -counted[one].total(), one))[: MOST_SLICES + 1]
    asked = [
        (one, mistake, differing)
        for one in largest
        for mistake in Mistake
        if (differing := _differing(counted[one], mistake)) or one == ALL
    ]
    return Comparison(
        rates=_rates(labels),
        differences=tuple(
            _difference(
                labels,
                of=one,
                mistake=mistake,
                posts=counted[one].total(),
                differing=differing,
                alpha=ALPHA / len(asked),
            )
            for one, mistake, differing in asked
        ),
        routes=dict(counted.get(ALL, Counter())),
    )


def chance(*, is_review: bool, audit: float, draws: Sequence[float]) -> float:
    """Return the probability of a label, in [0, 1]: 1 on the live release's route review, else that of being
    in the audit sample or in a draw of disagreements that could take the post.
    """
    return 1.0 if is_review else 1.0 - (1.0 - audit) * math.prod(1.0 - one for one in draws)


def finding(found: Comparison, *, number: int) -> Finding:
    """Return what the gate is told of a comparison: certainly worse on any slice fails."""
    worse = sorted(found.worse, key=lambda one: -max(one.low, -one.high))
    more = f" and {len(worse) - _NAMED} more" if len(worse) > _NAMED else ""
    told = "; ".join(_told(one) for one in worse[:_NAMED]) + more if worse else "certainly worse on none"
    posts = sum(found.routes.values())
    return Finding(
        question="is certainly worse on no slice of live posts",
        passed=not worse,
        answer=f"shadow run {number}, {posts} posts: {told}",
    )


def _told(one: Difference) -> str:
    where = f"{one.dimension} {one.name or '(none)'}" if (one.dimension, one.name) != ALL else "all posts"
    return f"{where}: {one.mistake} {1000 * one.low:+.1f} to {1000 * one.high:+.1f} per 1,000 posts"


def _differing(routes: Counter[Routes], mistake: Mistake) -> int:
    """Count the posts that only one of the two releases allows, or removes."""
    route = _route_of(mistake)
    return sum(
        posts for (live, candidate), posts in routes.items() if (live == route) != (candidate == route)
    )


def _difference(
    labels: ShadowLabels, *, of: Slice, mistake: Mistake, posts: int, differing: int, alpha: float
) -> Difference:
    route = _route_of(mistake)
    by_live, by_candidate = labels.live == route, labels.candidate == route
    chosen = np.asarray((by_live != by_candidate) & _within(labels, of), dtype=bool)
    is_meant = labels.is_spam[chosen] != (mistake is Mistake.WRONG)
    # 1 where the candidate alone sends a post there that this mistake is about, 0 where live alone does.
    values = 0.5 + np.where(is_meant, np.where(by_candidate[chosen], 0.5, -0.5), 0.0)
    found = estimates.mean(values=values, chances=labels.chance[chosen], alpha=alpha, looks=LOOKS)
    share = differing / posts if posts else 0.0
    low, high = share * (2 * found.low - 1), share * (2 * found.high - 1)
    return Difference(
        dimension=of[0],
        name=of[1],
        mistake=mistake,
        posts=posts,
        differing=differing,
        labels=found.labels,
        value=None if found.value is None else share * (2 * found.value - 1),
        low=low,
        high=high,
        outcome=_outcome(low, high, is_good=mistake is Mistake.REMOVED),
    )


def _outcome(low: float, high: float, *, is_good: bool) -> Outcome:
    least, most = (-high, -low) if is_good else (low, high)
    if least > TOLERATED:
        return Outcome.WORSE
    if most < -TOLERATED:
        return Outcome.BETTER
    return Outcome.NEAR if least >= -TOLERATED and most <= TOLERATED else Outcome.OPEN


def _within(labels: ShadowLabels, of: Slice) -> Flags:
    dimension, name = of
    if of == ALL:
        return np.ones(len(labels), dtype=bool)
    return np.asarray(labels.slices[dimension] == name, dtype=bool)


def _rates(labels: ShadowLabels) -> tuple[Rate, ...]:
    def rate(name: str, *, part: str, is_of_route: bool) -> Rate:
        live, candidate = (
            estimates.ratio(
                part=labels.is_spam & (routes == part),
                whole=(routes == part) if is_of_route else labels.is_spam,
                chances=labels.chance,
                looks=LOOKS,
            )
            for routes in (labels.live, labels.candidate)
        )
        return Rate(name=name, live=live, candidate=candidate)

    return (
        rate("precision", part="remove", is_of_route=True),
        rate("recall", part="remove", is_of_route=False),
        rate("missed", part="allow", is_of_route=True),
    )


def _route_of(mistake: Mistake) -> str:
    return "allow" if mistake is Mistake.MISSED else "remove"
