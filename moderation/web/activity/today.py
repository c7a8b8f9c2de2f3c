"""The page Today: what came, what was decided, what waits and who is at work.

Its chart has a row of bars for each subject, on one axis. Colours are the stylesheet's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from urllib.parse import urlencode

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from moderation.models.activity import Measure
from moderation.queries.activity import hours, outlook, today
from moderation.queries.activity.hours import Period
from moderation.queries.activity.today import Sheet, Step
from moderation.queries.quality import drift_pages, removal
from moderation.web import access, csv_files, quantities
from moderation.web.entities.entity import HEIGHT, Bar, stacked

_EARLIEST = date(2000, 1, 1)
_STEP_WIDTH, _MOST_TICKS = 10, 8
_PEOPLE = (Measure.PEOPLE_SPAM, Measure.PEOPLE_FINE)
_FILTER = (Measure.FILTER_SPAM, Measure.FILTER_FINE)
_LISTS: dict[Measure, tuple[str, dict[str, str]]] = {
    Measure.POSTS: ("posts", {}),
    Measure.PEOPLE_SPAM: ("decisions", {"whose": "people", "verdict": "spam"}),
    Measure.PEOPLE_FINE: ("decisions", {"whose": "people", "verdict": "not_spam"}),
    Measure.FILTER_SPAM: ("decisions", {"whose": "filter", "verdict": "spam"}),
    Measure.FILTER_FINE: ("decisions", {"whose": "filter", "verdict": "not_spam"}),
}
"""The pages that list what is counted, and their filters. No page lists cases by when they were opened."""


class PeriodForm(forms.Form):
    """Days from and to, or their number up to today; without valid ones, the last 24 hours."""

    days = forms.IntegerField(min_value=1, max_value=hours.LONGEST, required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)

    def period(self, *, at: datetime) -> Period:
        """Return the chosen period: none ends after today, and one too long is its last days."""
        self.is_valid()
        zone = timezone.get_current_timezone()
        days, since, until = (self.cleaned_data.get(name) for name in ("days", "since", "until"))
        if not (days or since or until):
            return hours.last_hours(at=at, zone=zone)
        today = at.astimezone(zone).date()
        last = max(_EARLIEST, min(until or today, today))
        first = min(since or last - ((days or 1) - 1) * hours.DAY, last)
        return hours.period(first=max(first, last - (hours.LONGEST - 1) * hours.DAY), last=last, zone=zone)


@access.leads.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the last 24 hours, the last days, or chosen ones."""
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
        "window": urlencode(_window(period.start, period.end)),
        "longest": hours.LONGEST,
        "is_now": period.start <= at < period.end,
        "chart": _chart(sheet),
        "outlook": now,
        "flows": flows if now.is_by_hour else flows[::-1],
        "failures": outlook.failures(at=at),
        "members": members,
        "at_work": [member for member in members if member.is_at_work],
        "rule": today.SPIKES,
        "spikes": [
            (spike, _list((spike.measure,), spike.hour, spike.hour + hours.HOUR)) for spike in sheet.spikes
        ],
        "drift_alarms": drift_pages.unseen(),
        "removal": removal.standings(at=at),
        "rows": [
            (step, _linked(step.counts, step.start, step.end)) for step in sheet.steps if step.start <= at
        ],
        "totals": _linked(sheet.totals, period.start, period.end),
    }
    return render(request, "activity/today.html", context)


def _window(start: datetime, end: datetime) -> dict[str, str]:
    """Return the filter of a list for what happened from `start` to before `end`."""
    since, until = (f"{moment.astimezone(UTC):%Y-%m-%dT%H:%MZ}" for moment in (start, end))
    return {"since": since, "until": until}


def _list(measures: Sequence[Measure], start: datetime, end: datetime) -> str:
    """Return where what was counted is listed, "" if nowhere; verdicts together if there are several."""
    name, filters = _LISTS.get(measures[0], ("", {}))
    kept = {key: value for key, value in filters.items() if key != "verdict" or len(measures) == 1}
    return name and f"{reverse(name)}?{urlencode(kept | _window(start, end))}"


def _numbers(counts: Mapping[Measure, int] | None) -> list[int]:
    """Return the numbers in the order of the table's columns, none where nothing was counted."""
    return [] if counts is None else [counts[measure] for measure in Measure]


def _linked(counts: Mapping[Measure, int] | None, start: datetime, end: datetime) -> list[tuple[int, str]]:
    """Return the numbers with where each is listed, "" for none."""
    numbers = zip(Measure, _numbers(counts), strict=False)  # none where nothing was counted
    return [(number, _list((measure,), start, end) if number else "") for measure, number in numbers]


@access.leads.get
def export(request: access.DeskRequest) -> HttpResponse:
    """Send the table of the page as CSV."""
    at = timezone.now()
    sheet = today.sheet(period=PeriodForm(request.GET).period(at=at), at=at)
    period = sheet.period
    name = f"activity-{'24h' if period.is_latest else period.first}-{period.last}.csv"
    return csv_files.answer(_table(sheet), name=name)


def _table(sheet: Sheet) -> Iterator[list[object]]:
    """Yield the columns, then a row for each step; one that was not counted has no numbers."""
    yield ["start", "end", "is_whole", *(measure.value for measure in Measure)]
    for step in sheet.steps:
        numbers: Sequence[object] = _numbers(step.counts) or [""] * len(Measure)
        yield [step.start.isoformat(), step.end.isoformat(), str(step.is_whole).lower(), *numbers]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One row of bars with its sum and its highest step; marks are the places of spikes.

    `columns` are its steps: place, what each says under the pointer, and where it is listed, "" for nowhere.
    """

    name: str
    total: int
    address: str
    peak: int
    peak_at: datetime | None
    bars: tuple[Bar, ...]
    columns: tuple[tuple[int, str, str], ...]
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
    every = -(-len(sheet.steps) // _MOST_TICKS)
    return Chart(
        lanes=tuple(lanes),
        width=_STEP_WIDTH * len(sheet.steps),
        height=HEIGHT,
        ticks=tuple(None if place % every else step.start for place, step in enumerate(sheet.steps)),
    )


def _lane(sheet: Sheet, name: str, measures: Sequence[Measure]) -> Lane:
    sums = [sum((step.counts or {}).get(measure, 0) for measure in measures) for step in sheet.steps]
    peak = max(sums)
    tones = ("spam", "ham") if len(measures) > 1 else ("",)
    bars: list[Bar] = []
    for place, step in enumerate(sheet.steps):
        counts = {tone: (step.counts or {}).get(one, 0) for tone, one in zip(tones, measures, strict=True)}
        bars += stacked(place * _STEP_WIDTH, counts, scale=HEIGHT / (peak or 1), least=1.0)
    return Lane(
        name=name,
        total=sum(sums),
        address=_list(measures, sheet.period.start, sheet.period.end),
        peak=peak,
        peak_at=sheet.steps[sums.index(peak)].start if peak else None,
        bars=tuple(bars),
        columns=tuple(
            (
                place * _STEP_WIDTH,
                _words(step, measures, is_by_hour=sheet.period.is_by_hour),
                _list(measures, step.start, step.end) if sums[place] else "",
            )
            for place, step in enumerate(sheet.steps)
            if step.counts is not None
        ),
        marks=tuple(sorted(_marks(sheet, measures))),
    )


def _words(step: Step, measures: Sequence[Measure], *, is_by_hour: bool) -> str:
    """Return a step's time and numbers."""
    form = "SHORT_DATETIME_FORMAT" if is_by_hour else "SHORT_DATE_FORMAT"
    parts = [
        f"{measure.label} {quantities.count((step.counts or {}).get(measure, 0))}" for measure in measures
    ]
    return " \N{MIDDLE DOT} ".join([formats.date_format(timezone.localtime(step.start), form), *parts])


def _marks(sheet: Sheet, measures: Sequence[Measure]) -> set[int]:
    hits = [spike.hour for spike in sheet.spikes if spike.measure in measures]
    return {
        place * _STEP_WIDTH
        for place, step in enumerate(sheet.steps)
        if any(step.start <= hour < step.end for hour in hits)
    }
