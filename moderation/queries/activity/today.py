"""Numbers of a period by hour or day, their sums, and spikes."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import Max, Sum

from moderation.models import HourlyCount
from moderation.models.activity import Measure
from moderation.queries.activity import events
from moderation.queries.activity.hours import DAY, HOUR, Period


@dataclass(frozen=True, slots=True)
class SpikeRule:
    """A spike: an hour with at least `times` as many as usual, and `more` more.

    Usual is the median of the same hour on the `days` before, where `fewest` of them at least were counted.
    """

    times: int = 3
    more: int = 30
    days: int = 7
    fewest: int = 3


SPIKES = SpikeRule()
_WATCHED = (Measure.POSTS, Measure.FILTER_SPAM)
_Hours = Mapping[datetime, Mapping[Measure, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One hour or day. `counts` is None where nothing was counted: the time is to come, or not yet read."""

    start: datetime
    end: datetime
    counts: Mapping[Measure, int] | None
    is_whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Spike:
    """An hour far above its usual value."""

    hour: datetime
    measure: Measure
    number: int
    usual: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A period in numbers. `missing` hours are over and will be counted; `counted_at` is the newest count."""

    period: Period
    steps: tuple[Step, ...]
    totals: Mapping[Measure, int]
    spikes: tuple[Spike, ...]
    counted_at: datetime | None
    missing: int


def sheet(*, period: Period, at: datetime) -> Sheet:
    """Read a period, and the week before it to know what is usual, in two queries."""
    hours, counted_at = _hours(period.start, period.end)
    within = [hour for hour in hours if hour >= period.start]
    first = events.first_hour() or at
    over = [period.start + number * HOUR for number in range((period.end - period.start) // HOUR)]
    return Sheet(
        period=period,
        steps=tuple(_step(start, end, hours, at=at) for start, end in period.steps),
        totals=_summed(hours, within),
        spikes=tuple(_spikes(hours, within)),
        counted_at=counted_at,
        missing=sum(1 for hour in over if first <= hour and hour + HOUR <= at and hour not in hours),
    )


def spikes(*, start: datetime, end: datetime) -> list[Spike]:
    """Return the spikes among the hours from `start` to before `end`."""
    hours, _newest = _hours(start, end)
    return _spikes(hours, [hour for hour in hours if hour >= start])


def _hours(start: datetime, end: datetime) -> tuple[_Hours, datetime | None]:
    rows = HourlyCount.objects.filter(hour__gte=start - SPIKES.days * DAY, hour__lt=end)
    numbers: defaultdict[datetime, dict[Measure, int]] = defaultdict(dict)
    newest = None
    grouped = rows.order_by().values_list("hour", "measure")
    for hour, measure, number, counted_at in grouped.annotate(all=Sum("number"), newest=Max("counted_at")):
        numbers[hour][Measure(measure)] = number
        if hour >= start:
            newest = max(newest or counted_at, counted_at)
    return dict(numbers), newest


def _step(start: datetime, end: datetime, hours: _Hours, *, at: datetime) -> Step:
    number = (end - start) // HOUR
    within = [hour for place in range(number) if (hour := start + place * HOUR) in hours]
    return Step(
        start=start,
        end=end,
        counts=_summed(hours, within) if within else None,
        is_whole=end <= at and len(within) == number,
    )


def _summed(hours: _Hours, within: list[datetime]) -> Mapping[Measure, int]:
    return {measure: sum(hours[hour].get(measure, 0) for hour in within) for measure in Measure}


def _spikes(hours: _Hours, within: list[datetime]) -> list[Spike]:
    spikes = []
    for hour in sorted(within):
        before = [hours[day] for n in range(1, SPIKES.days + 1) if (day := hour - n * DAY) in hours]
        if len(before) < SPIKES.fewest:
            continue
        for measure in _WATCHED:
            number = hours[hour].get(measure, 0)
            usual = float(median(day.get(measure, 0) for day in before))
            if number >= SPIKES.times * usual and number >= usual + SPIKES.more:
                spikes.append(Spike(hour=hour, measure=measure, number=number, usual=usual))
    return spikes
