"""Distributions of which five quantiles are published: 10, 25, 50, 75 and 90 per cent."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

# The standard normal distribution's own quantiles at the same places.
_PLACES = (-1.2816, -0.6745, 0.0, 0.6745, 1.2816)


def draw(quantiles: Sequence[float], *, rng: random.Random) -> float:
    """Return a number ≥ 0, log-normal between neighbouring quantiles and, by the last slope, beyond them."""
    return value_at(quantiles, place=rng.gauss(0, 1))


def value_at(quantiles: Sequence[float], *, place: float) -> float:
    """Return the number ≥ 0 that stands where `place` stands in the standard normal distribution.

    Facts whose places are correlated are drawn jointly, and each keeps its own distribution.
    """
    logs = [math.log1p(quantile) for quantile in quantiles]
    right = next((index for index in range(1, 4) if place < _PLACES[index]), 4)
    slope = (logs[right] - logs[right - 1]) / (_PLACES[right] - _PLACES[right - 1])
    return max(0.0, math.expm1(logs[right] + slope * (place - _PLACES[right])))


def spread(quantiles: Sequence[float]) -> float:
    """Return how far the logarithms of the outer quantiles lie apart."""
    return math.log1p(quantiles[-1]) - math.log1p(quantiles[0])
