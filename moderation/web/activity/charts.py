"""The lanes of the page Today: a row of bars for each subject, on one axis. Colours are the stylesheet's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from moderation.models.activity import Measure
from moderation.queries.activity.hours import HOUR
from moderation.queries.activity.today import Sheet, Step
from moderation.web.entities.timeline import HEIGHT, Bar

STEP_WIDTH = 10
_PEOPLE = (Measure.PEOPLE_SPAM, Measure.PEOPLE_FINE)
_FILTER = (Measure.FILTER_SPAM, Measure.FILTER_FINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One row of bars with its sum and its highest step; marks are the places of spikes."""

    name: str
    total: int
    peak: int
    peak_at: datetime | None
    is_judged: bool
    bars: tuple[Bar, ...]
    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The lanes, the width of their drawing, and the axis: a name for some steps, None for the others."""

    lanes: tuple[Lane, ...]
    width: int
    height: int
    ticks: tuple[datetime | None, ...]


def chart(sheet: Sheet) -> Chart:
    """Draw a period. Failed calls have a lane only where there were any."""
    lanes = [
        _lane(sheet, _("Posts received"), (Measure.POSTS,)),
        _lane(sheet, _("New cases for review"), (Measure.CASES,)),
        _lane(sheet, _("Decided by people"), _PEOPLE),
        _lane(sheet, _("Decided by the filter"), _FILTER),
    ]
    if sheet.totals[Measure.FAILED_CALLS]:
        lanes.append(_lane(sheet, _("Failed webhook calls"), (Measure.FAILED_CALLS,)))
    every = 3 if len(sheet.steps) == 24 else 1 if len(sheet.steps) <= 7 else 5
    return Chart(
        lanes=tuple(lanes),
        width=STEP_WIDTH * len(sheet.steps),
        height=HEIGHT,
        ticks=tuple(None if place % every else step.start for place, step in enumerate(sheet.steps)),
    )


def _lane(sheet: Sheet, name: str, measures: Sequence[Measure]) -> Lane:
    sums = [_sum(step, measures) for step in sheet.steps]
    peak = max(sums)
    is_judged = len(measures) > 1
    tones = ("spam", "ham") if is_judged else ("",)
    bars = []
    for place, step in enumerate(sheet.steps):
        bars += _bars(step, place, dict(zip(tones, measures, strict=True)), scale=HEIGHT / (peak or 1))
    return Lane(
        name=name,
        total=sum(sums),
        peak=peak,
        peak_at=sheet.steps[sums.index(peak)].start if peak else None,
        is_judged=is_judged,
        bars=tuple(bars),
        marks=tuple(sorted(_marks(sheet, measures))),
    )


def _bars(step: Step, place: int, measures: dict[str, Measure], *, scale: float) -> list[Bar]:
    """Stack the parts of a step from the ground; one among many stays visible."""
    bars, ground = [], float(HEIGHT)
    for tone, measure in measures.items():
        if number := (step.counts or {}).get(measure, 0):
            height = min(ground, max(1.0, number * scale))
            ground -= height
            bars.append(Bar(x=place * STEP_WIDTH, y=round(ground, 1), height=round(height, 1), tone=tone))
    return bars


def _marks(sheet: Sheet, measures: Sequence[Measure]) -> set[int]:
    step = sheet.period.step
    hours = {spike.hour for spike in sheet.spikes if spike.measure in measures}
    return {(hour - sheet.period.start) // step * STEP_WIDTH for hour in hours}


def _sum(step: Step, measures: Sequence[Measure]) -> int:
    return sum((step.counts or {}).get(measure, 0) for measure in measures)


def names_hours(sheet: Sheet) -> bool:
    """Tell whether the axis names hours, not days."""
    return sheet.period.step == HOUR
