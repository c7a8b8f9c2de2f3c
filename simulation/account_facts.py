"""What the platform counts of a simulated account: age, posts, friends, followers, drawn jointly.

Each keeps the distribution of its role; which go together is stated and sourced in docs/simulation.md.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulation import quantiles

_LARGEST_AUDIENCE = 5_000_000
_MOST_BY_AGE = 0.9
_FRIENDS_WITH_POSTS = 0.4
"""How far those who post more follow more: a correlation of logarithms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountFacts:
    """The counts of one account."""

    friends: int
    followers: int
    posts: int


def draw(
    facts: Mapping[str, Sequence[float]],
    *,
    age_place: float,
    age_days: float,
    grows_with_age: bool,
    posts_per_day_at_most: float,
    rng: random.Random,
) -> AccountFacts:
    """Return the counts of an account of this age, which stands at `age_place` among those of its role.

    Where posts grow with age, they are the age times a rate per day that does not depend on it.
    """
    share = _share_of_age(facts) if grows_with_age else 0.0
    posts_place = _correlated(age_place, by=share, rng=rng)
    posts = quantiles.value_at(facts["posts"], place=posts_place)
    friends_place = _correlated(posts_place, by=_FRIENDS_WITH_POSTS, rng=rng)
    friends = quantiles.value_at(facts["friends"], place=friends_place)
    # The ratio is drawn, so that accounts who follow many are followed by many as well.
    ratio = max(quantiles.draw(facts["friends_per_follower"], rng=rng), 1e-3)
    return AccountFacts(
        friends=round(friends),
        followers=round(min(friends / ratio, _LARGEST_AUDIENCE)),
        posts=round(min(posts, posts_per_day_at_most * age_days)),
    )


def _share_of_age(facts: Mapping[str, Sequence[float]]) -> float:
    """Return the correlation of posts with age at which posts per day have none with age."""
    return min(quantiles.spread(facts["age_days"]) / quantiles.spread(facts["posts"]), _MOST_BY_AGE)


def _correlated(place: float, *, by: float, rng: random.Random) -> float:
    """Return a draw from the standard normal distribution whose correlation with `place` is `by`."""
    return by * place + math.sqrt(1.0 - by * by) * rng.gauss(0, 1)
