"""What the platform counts of a simulated account: age, posts, friends, followers, drawn jointly.

Each keeps the distribution of its role; which go together is stated and sourced in docs/simulation.md.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_LARGEST_AUDIENCE = 5_000_000
_MOST_BY_AGE = 0.9
_FRIENDS_WITH_POSTS = 0.4
"""How far those who post more follow more: a correlation of logarithms."""
# Where the five published quantiles (10, 25, 50, 75, 90 per cent) stand in the standard normal distribution.
_PLACES = (-1.2816, -0.6745, 0.0, 0.6745, 1.2816)


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
    posts = value_at(facts["posts"], place=posts_place)
    friends_place = _correlated(posts_place, by=_FRIENDS_WITH_POSTS, rng=rng)
    friends = value_at(facts["friends"], place=friends_place)
    # The ratio is drawn, so that accounts who follow many are followed by many as well.
    ratio = max(value_at(facts["friends_per_follower"], place=rng.gauss(0, 1)), 1e-3)
    return AccountFacts(
        friends=round(friends),
        followers=round(min(friends / ratio, _LARGEST_AUDIENCE)),
        posts=round(min(posts, posts_per_day_at_most * age_days)),
    )


def value_at(quantiles: Sequence[float], *, place: float) -> float:
    """Return the number ≥ 0 that stands where `place` stands in the standard normal distribution: log-normal
    between neighbouring quantiles and, by the last slope, beyond them.

    Facts whose places are correlated are drawn jointly, and each keeps its own distribution.
    """
    logs = [math.log1p(quantile) for quantile in quantiles]
    right = next((index for index in range(1, 4) if place < _PLACES[index]), 4)
    slope = (logs[right] - logs[right - 1]) / (_PLACES[right] - _PLACES[right - 1])
    return max(0.0, math.expm1(logs[right] + slope * (place - _PLACES[right])))


def _share_of_age(facts: Mapping[str, Sequence[float]]) -> float:
    """Return the correlation of posts with age at which posts per day have none with age."""
    return min(_spread(facts["age_days"]) / _spread(facts["posts"]), _MOST_BY_AGE)


def _correlated(place: float, *, by: float, rng: random.Random) -> float:
    """Return a draw from the standard normal distribution whose correlation with `place` is `by`."""
    return by * place + math.sqrt(1.0 - by * by) * rng.gauss(0, 1)


def _spread(quantiles: Sequence[float]) -> float:
    """Return how far the logarithms of the outer quantiles lie apart."""
    return math.log1p(quantiles[-1]) - math.log1p(quantiles[0])
