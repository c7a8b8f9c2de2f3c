"""Hours as they are counted, in UTC, and the periods that a page shows, of days where its reader is."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import pairwise

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
LONGEST = 92
"""So many days at most are read at once; their hours are added up for each page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The days from `first` to `last`, or the latest 24 hours, whose days these are.

    `edges` are the bounds of its steps: days, or hours if there are not many.
    """

    first: date
    last: date
    edges: tuple[datetime, ...]
    is_by_hour: bool
    is_latest: bool = False

    @property
    def start(self) -> datetime:
        """When the period begins."""
        return self.edges[0]

    @property
    def end(self) -> datetime:
        """When the period is over."""
        return self.edges[-1]

    @property
    def steps(self) -> tuple[tuple[datetime, datetime], ...]:
        """When each part begins and ends."""
        return tuple(pairwise(self.edges))

    @property
    def before(self) -> tuple[date, date]:
        """The first and the last day of as many days before; before the last 24 hours, yesterday."""
        first = self.last if self.is_latest else self.first
        return first - (self.last - first) - DAY, first - DAY

    @property
    def after(self) -> tuple[date, date]:
        """The first and the last day of as many days after."""
        return self.last + DAY, self.last + (self.last - self.first) + DAY


def hour_of(moment: datetime) -> datetime:
    """Return when the hour of a moment began, in UTC."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def last_hours(*, at: datetime, zone: tzinfo) -> Period:
    """Return the hour of a moment and the 23 before it."""
    end = hour_of(at) + HOUR
    first, last = (moment.astimezone(zone).date() for moment in (end - DAY, at))
    return Period(first=first, last=last, edges=_hours(end - DAY, end), is_by_hour=True, is_latest=True)


def period(*, first: date, last: date, zone: tzinfo) -> Period:
    """Return whole days of a time zone, both included; hours are steps up to two days.

    A day begins with the first hour that is counted in it, where zones differ from UTC by half an hour.
    """
    number = (last - first).days + 1
    edges = tuple(_begin(first + place * DAY, zone) for place in range(number + 1))
    is_by_hour = number <= 2
    if is_by_hour:
        edges = _hours(edges[0], edges[-1])
    return Period(first=first, last=last, edges=edges, is_by_hour=is_by_hour)


def _begin(day: date, zone: tzinfo) -> datetime:
    midnight = datetime.combine(day, time.min, zone).astimezone(UTC)
    hour = hour_of(midnight)
    return hour if hour == midnight else hour + HOUR


def _hours(start: datetime, end: datetime) -> tuple[datetime, ...]:
    return tuple(start + number * HOUR for number in range((end - start) // HOUR + 1))
