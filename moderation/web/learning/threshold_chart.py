"""The curve of the thresholds page: precision of removal by where removal begins. Positions only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from moderation.queries.learning.simulation import Point

WIDTH, HEIGHT = 600, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A line of values, the closed path of their intervals, and the place of the chosen threshold.

    The ground is the precision `base`, the top 1.
    """

    line: str
    band: str
    dots: tuple[tuple[float, float], ...]
    chosen: float
    base: float
    width: int
    height: int


def chart(curve: Sequence[Point], *, chosen: float) -> Chart | None:
    """Draw the points that have enough labels; None with fewer than two of them."""
    shown = [point for point in curve if point.precision.value is not None]
    if len(shown) < 2:
        return None
    places = [_x(point.thresholds.remove_from) for point in shown]
    base = math.floor(10 * min(point.precision.low for point in shown)) / 10
    values = [_y(point.precision.value or 0.0, base=base) for point in shown]
    upper = [f"{x} {_y(point.precision.high, base=base)}" for x, point in zip(places, shown, strict=True)]
    lower = [f"{x} {_y(point.precision.low, base=base)}" for x, point in zip(places, shown, strict=True)]
    dots = tuple(zip(places, values, strict=True))
    return Chart(
        line="M" + "L".join(f"{x} {y}" for x, y in dots),
        band="M" + "L".join([*upper, *reversed(lower)]) + "Z",
        dots=dots,
        chosen=_x(chosen),
        base=base,
        width=WIDTH,
        height=HEIGHT,
    )


def _x(probability: float) -> float:
    return round(WIDTH * max(0.0, (probability - 0.5) / 0.5), 1)


def _y(share: float, *, base: float) -> float:
    return round(HEIGHT * (1 - share) / max(1 - base, 0.1), 1)
