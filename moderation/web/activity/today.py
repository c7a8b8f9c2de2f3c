"""The page Today: what came, what was decided, what waits and who is at work.

Its chart has a row of bars for each subject, on one axis. Colours are the stylesheet's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models.activity import Measure
from moderation.queries.activity import hours, outlook, today
from moderation.queries.activity.hours import Period, Span
from moderation.queries.activity.today import Sheet, Step
from moderation.queries.quality import drift_pages, removal
from moderation.web import access, csv_files
from moderation.web.entities.entity import HEIGHT, Bar
from moderation.web.middleware.standby_reads import may_be_behind

_EARLIEST = date(2000, 1, 1)
_STEP_WIDTH = 10
_PEOPLE = (Measure.PEOPLE_SPAM, Measure.PEOPLE_FINE)
_FILTER = (Measure.FILTER_SPAM, Measure.FILTER_FINE)


class PeriodForm(forms.Form):
    """A span and a day within it; without them, and for invalid values, the last 24 hours."""

    span = forms.ChoiceField(choices=[(span.value, span.value) for span in Span], required=False)
    day = forms.DateField(required=False)

    def period(self, *, at: datetime) -> Period:
        """Return the chosen period; none begins after `at`."""
        self.is_valid()
        latest, day = at.date(), self.cleaned_data.get("day")
        span = Span(self.cleaned_data.get("span") or (Span.DAY if day else Span.LAST))
        if span == Span.LAST:
            return hours.last_hours(at=at)
        return hours.period(span=span, day=max(_EARLIEST, min(day or latest, latest)))


@access.leads.get
@may_be_behind
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the last 24 hours, a day, a week or a month."""
    at = timezone.now()
    period = PeriodForm(request.GET).period(at=at)
    sheet = today.sheet(period=period, at=at)
    members = outlook.members(period=period, at=at)
    now = outlook.outlook(at=at)
    flows = [(_("Last hour"), now.hour), (_("Last 24 hours"), now.day)]
    context = {
        "section": "today",
        "at": at,
        "sheet": sheet,
        "period": period,
        "spans": list(Span),
        "is_now": period.start <= at < period.end,
        "chart": _chart(sheet),
        "names_hours": period.step == hours.HOUR,
        "outlook": now,
        "flows": flows if now.is_by_hour else flows[::-1],
        "failures": outlook.failures(at=at),
        "members": members,
        "at_work": [member for member in members if member.is_at_work],
        "rule": today.SPIKES,
        "drift_alarms": drift_pages.unseen(),
        "removal": removal.standings(at=at),
        "rows": [(step, _numbers(step.counts)) for step in sheet.steps if step.start <= at],
        "totals": _numbers(sheet.totals),
    }
    return render(request, "activity/today.html", context)


def _numbers(counts: Mapping[Measure, int] | None) -> list[int]:
    """Return the numbers in the order of the table's columns, none where nothing was counted."""
    return [] if counts is None else [counts[measure] for measure in Measure]


@access.leads.get
@may_be_behind
def export(request: access.DeskRequest) -> HttpResponse:
    """Send the table of the page as CSV."""
    at = timezone.now()
    sheet = today.sheet(period=PeriodForm(request.GET).period(at=at), at=at)
    name = f"activity-{sheet.period.span}-{sheet.period.day:%Y-%m-%d}.csv"
    return csv_files.answer(_table(sheet), name=name)


def _table(sheet: Sheet) -> Iterator[list[object]]:
    """Yield the columns, then a row for each step; one that was not counted has no numbers."""
    yield ["start", "end", "is_whole", *(measure.value for measure in Measure)]
    for step in sheet.steps:
        numbers: Sequence[object] = _numbers(step.counts) or [""] * len(Measure)
        yield [step.start.isoformat(), step.end.isoformat(), str(step.is_whole).lower(), *numbers]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One row of bars with its sum and its highest step; marks are the places of spikes."""

    name: str
    total: int
    peak: int
    peak_at: datetime | None
    bars: tuple[Bar, ...]
    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The lanes, the width of their drawing, and the axis: a name for some steps, None for the others."""

    lanes: tuple[Lane, ...]
    width: int
    height: int
    ticks: tuple[datetime | None, ...]


def _chart(sheet: Sheet) -> Chart:
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
        width=_STEP_WIDTH * len(sheet.steps),
        height=HEIGHT,
        ticks=tuple(None if place % every else step.start for place, step in enumerate(sheet.steps)),
    )


def _lane(sheet: Sheet, name: str, measures: Sequence[Measure]) -> Lane:
    sums = [_sum(step, measures) for step in sheet.steps]
    peak = max(sums)
    tones = ("spam", "ham") if len(measures) > 1 else ("",)
    bars = []
    for place, step in enumerate(sheet.steps):
        bars += _bars(step, place, dict(zip(tones, measures, strict=True)), scale=HEIGHT / (peak or 1))
    return Lane(
        name=name,
        total=sum(sums),
        peak=peak,
        peak_at=sheet.steps[sums.index(peak)].start if peak else None,
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
            bars.append(Bar(x=place * _STEP_WIDTH, y=round(ground, 1), height=round(height, 1), tone=tone))
    return bars


def _marks(sheet: Sheet, measures: Sequence[Measure]) -> set[int]:
    step = sheet.period.step
    starts = {spike.hour for spike in sheet.spikes if spike.measure in measures}
    return {(hour - sheet.period.start) // step * _STEP_WIDTH for hour in starts}


def _sum(step: Step, measures: Sequence[Measure]) -> int:
    return sum((step.counts or {}).get(measure, 0) for measure in measures)
