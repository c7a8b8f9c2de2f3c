"""The page Today: what came, what was decided, what waits and who is at work."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from datetime import date, datetime

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.models.activity import Measure
from moderation.queries.activity import hours, outlook, today
from moderation.queries.activity.hours import Period, Span
from moderation.queries.activity.today import Sheet
from moderation.queries.quality import drift_pages, removal
from moderation.web import access
from moderation.web.activity import charts
from moderation.web.middleware.standby_reads import may_be_behind

_EARLIEST = date(2000, 1, 1)


class PeriodForm(forms.Form):
    """A span and a day within it; invalid values mean today."""

    span = forms.ChoiceField(choices=[(span.value, span.value) for span in Span], required=False)
    day = forms.DateField(required=False)

    def period(self, *, at: datetime) -> Period:
        """Return the chosen period; none begins after `at`."""
        self.is_valid()
        latest = at.date()
        day = self.cleaned_data.get("day") or latest
        span = Span(self.cleaned_data.get("span") or Span.DAY)
        return hours.period(span=span, day=max(_EARLIEST, min(day, latest)))


@require_safe
@access.leads
@may_be_behind
def page(request: access.DeskRequest) -> HttpResponse:
    """Show a day, a week or a month."""
    at = timezone.now()
    period = PeriodForm(request.GET).period(at=at)
    sheet = today.sheet(period=period, at=at)
    members = outlook.members(period=period, at=at)
    context = {
        "section": "today",
        "at": at,
        "sheet": sheet,
        "period": period,
        "spans": list(Span),
        "is_now": period.start <= at < period.end,
        "chart": charts.chart(sheet),
        "names_hours": charts.names_hours(sheet),
        "outlook": outlook.outlook(at=at),
        "failures": outlook.failures(),
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


@require_safe
@access.leads
@may_be_behind
def export(request: access.DeskRequest) -> HttpResponse:
    """Send the table of the page as CSV."""
    at = timezone.now()
    sheet = today.sheet(period=PeriodForm(request.GET).period(at=at), at=at)
    name = f"activity-{sheet.period.span}-{sheet.period.start:%Y-%m-%d}.csv"
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    response = HttpResponse(content_type="text/csv; charset=utf-8", headers=disposition)
    _write(response, sheet)
    return response


def _write(response: HttpResponse, sheet: Sheet) -> None:
    """Write a line for each step; a step that was not counted has no numbers."""
    writer = csv.writer(response)
    writer.writerow(["start", "end", "is_whole", *(measure.value for measure in Measure)])
    for step in sheet.steps:
        numbers = [str(number) for number in _numbers(step.counts)] or [""] * len(Measure)
        writer.writerow([step.start.isoformat(), step.end.isoformat(), str(step.is_whole).lower(), *numbers])
