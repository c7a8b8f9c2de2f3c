"""Draws from a distribution of which five quantiles are published: 10, 25, 50, 75 and 90 per cent."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

# The standard normal distribution's own quantiles at the same places.
_PLACES = (-1.2816, -0.6745, 0.0, 0.6745, 1.2816)


def draw(quantiles: Sequence[float], *, rng: random.Random) -> float:
    """Return a number ≥ 0, log-normal between neighbouring quantiles and, by the last slope, beyond them."""
    place = rng.gauss(0, 1)
    logs = [math.log1p(quantile) for quantile in quantiles]
    right = next((index for index in range(1, 4) if place < _PLACES[index]), 4)
    slope = (logs[right] - logs[right - 1]) / (_PLACES[right] - _PLACES[right - 1])
    return max(0.0, math.expm1(logs[right] + slope * (place - _PLACES[right])))
