"""When each kind of process last worked, with the database and with the broker, and when each sweep."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from moderation.models import Heartbeat, SweepRun

MISSING_AFTER_SECONDS = 60.0
"""Long enough for a restart on a busy machine."""
_SPARE = timedelta(seconds=30)
"""For a restart: a sweep is late after three periods, and so much."""
_FREQUENT = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A kind of process, by its name in deploy/. `seconds` since one was last seen; None if none ever was."""

    name: str
    seconds: float | None

    @property
    def is_missing(self) -> bool:
        """Return whether none works any more."""
        return self.seconds is None or self.seconds > MISSING_AFTER_SECONDS


def listed() -> list[Process]:
    """Return each worker, beat and web. A worker was seen when the last of its queues was."""
    ages = dict(Heartbeat.objects.values_list("sender", Now() - F("at")))
    senders = settings.WORKERS | {"beat": ("beat",), "web": ("web",)}
    return [
        Process(
            name=name,
            seconds=max(ages[sender].total_seconds() for sender in own) if ages.keys() >= set(own) else None,
        )
        for name, own in senders.items()
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One sweep. `succeeded_at` is when its newest run without an error ended; None if there was none."""

    name: str
    period: timedelta
    succeeded_at: datetime | None
    is_late: bool

    def age(self, *, at: datetime) -> timedelta | None:
        """Return how long ago it last succeeded, never negative."""
        return max(at - self.succeeded_at, timedelta(0)) if self.succeeded_at else None


def sweeps(*, at: datetime) -> list[Sweep]:
    """Return every sweep, in the order of the schedule."""
    ended = dict(SweepRun.objects.values_list("sweep", "succeeded_at"))
    return [
        _sweep(name, timedelta(seconds=seconds), ended.get(name), at=at)
        for name, seconds in settings.SWEEP_SECONDS.items()
    ]


def _sweep(name: str, period: timedelta, succeeded_at: datetime | None, *, at: datetime) -> Sweep:
    return Sweep(
        name=name,
        period=period,
        succeeded_at=succeeded_at,
        # A new installation has not run the rare sweeps yet; the frequent ones show whether any runs.
        is_late=at - succeeded_at > 3 * period + _SPARE if succeeded_at else period <= _FREQUENT,
    )
