"""Hours, and the periods that a page shows, in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


class Span(StrEnum):
    """How long a period is. LAST is the 24 hours up to now; the others are of the calendar."""

    LAST = "24h"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The last 24 hours, or a day, a week from Monday or a month; its steps are hours, else days."""

    span: Span
    start: datetime
    end: datetime

    @property
    def step(self) -> timedelta:
        """The length of each part that is counted by itself."""
        return HOUR if self.span in (Span.LAST, Span.DAY) else DAY

    @property
    def steps(self) -> tuple[datetime, ...]:
        """When each part begins."""
        return tuple(
            self.start + number * self.step for number in range((self.end - self.start) // self.step)
        )

    @property
    def day(self) -> date:
        """A day of the period, for a period of another length."""
        return (self.end - HOUR).date() if self.span == Span.LAST else self.start.date()

    @property
    def neighbours(self) -> Span:
        """How long the periods before and after are."""
        return Span.DAY if self.span == Span.LAST else self.span

    @property
    def last_day(self) -> datetime:
        """When the last day of the period begins."""
        return self.end - DAY

    @property
    def before(self) -> date:
        """A day of the period before this one."""
        return self.day - DAY

    @property
    def after(self) -> date:
        """The first day of the next period."""
        return self.end.date()


def hour_of(moment: datetime) -> datetime:
    """Return when the hour of a moment began, in UTC."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def last_hours(*, at: datetime) -> Period:
    """Return the hour of a moment and the 23 before it."""
    end = hour_of(at) + HOUR
    return Period(span=Span.LAST, start=end - DAY, end=end)


def period(*, span: Span, day: date) -> Period:
    """Return the day, the week from Monday or the calendar month that a day lies in, in UTC."""
    first = day
    if span == Span.WEEK:
        first = day - timedelta(days=day.weekday())
    elif span == Span.MONTH:
        first = day.replace(day=1)
    days = {Span.DAY: 1, Span.WEEK: 7}.get(span) or _days_of_month(first)
    start = datetime.combine(first, time.min, UTC)
    return Period(span=span, start=start, end=start + days * DAY)


def _days_of_month(first: date) -> int:
    return ((first + timedelta(days=31)).replace(day=1) - first).days
