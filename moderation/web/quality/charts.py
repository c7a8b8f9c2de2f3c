"""The charts of the page Quality: positions only, the stylesheet sets colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from moderation.models import QualityFigure
from moderation.models.quality import Measure
from moderation.queries.quality.tables import Rows
from moderation.web.quality import shares

STEP, HEIGHT = 16, 60
_FEWEST_STEPS, _MOST_TICKS = 7, 7
_SIDE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """An estimate with its interval, in units of the drawing; y grows downwards."""

    x: float
    y: float
    top: float
    bottom: float
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One measure over time; the drawing reaches from 0 to `most`."""

    name: str
    most: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """The measures that have points on one axis, named at some steps, and a table with a row per step."""

    lanes: tuple[Lane, ...]
    width: int
    ticks: tuple[datetime | None, ...]
    rows: tuple[tuple[datetime, tuple[str, ...]], ...]


def trend(figures: Sequence[QualityFigure]) -> Trend:
    """Draw the steps that have labels; those with too few have no point."""
    starts = sorted({row.start for row in figures})
    places = {start: place for place, start in enumerate(starts)}
    lanes = [
        _lane(measure, [row for row in figures if row.measure == measure], places) for measure in Measure
    ]
    rows = []
    for start, group in groupby(sorted(figures, key=lambda row: row.start), key=lambda row: row.start):
        words = {row.measure: shares.weighted(row) for row in group}
        rows.append((start, tuple(words.get(measure, "\N{EN DASH}") for measure in Measure)))
    steps = max(_FEWEST_STEPS, len(starts))
    every = -(-len(starts) // _MOST_TICKS)
    labels = [start if place % every == 0 else None for place, start in enumerate(starts)]
    return Trend(
        lanes=tuple(lane for lane in lanes if lane.points),
        width=steps * STEP,
        ticks=(*labels, *[None] * (steps - len(starts))),
        rows=tuple(rows),
    )


def _lane(measure: Measure, figures: Sequence[QualityFigure], places: dict[datetime, int]) -> Lane:
    measured = [row for row in figures if row.value is not None]
    most = max((row.high for row in measured), default=1.0) or 1.0
    return Lane(
        name=str(measure.label),
        most=shares.share(most),
        points=tuple(
            Point(
                x=places[row.start] * STEP + STEP / 2,
                y=round(HEIGHT * (1 - (row.value or 0.0) / most), 1),
                top=round(HEIGHT * (1 - row.high / most), 1),
                bottom=round(HEIGHT * (1 - row.low / most), 1),
                words=shares.weighted(row),
            )
            for row in measured
        ),
    )


def reliability(rows: Rows) -> tuple[Point, ...]:
    """Draw true shares over probabilities; on the diagonal the model is right."""
    return tuple(
        Point(
            x=round(row["said"] * _SIDE, 1),
            y=round(_SIDE * (1 - row["value"]), 1),
            top=round(_SIDE * (1 - row["high"]), 1),
            bottom=round(_SIDE * (1 - row["low"]), 1),
            words=shares.estimate(row["value"], row["low"], row["high"], row["labels"]),
        )
        for row in rows
        if row["value"] is not None
    )
