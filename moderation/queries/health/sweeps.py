"""The sweeps, their periods, and which of them are late."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from moderation.models import SweepRun

_SPARE = timedelta(seconds=30)
_FREQUENT = timedelta(minutes=1)


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


def late_after(name: str) -> timedelta:
    """Return the age from which a sweep is late: three periods, and half a minute for a restart."""
    return 3 * _period(name) + _SPARE


def listed(*, at: datetime) -> list[Sweep]:
    """Return every sweep, in the order of the schedule."""
    ended = dict(SweepRun.objects.values_list("sweep", "succeeded_at"))
    return [_sweep(name, ended.get(name), at=at) for name in settings.SWEEP_SECONDS]


def _sweep(name: str, succeeded_at: datetime | None, *, at: datetime) -> Sweep:
    return Sweep(
        name=name,
        period=_period(name),
        succeeded_at=succeeded_at,
        # A new installation has not run the rare sweeps yet; the frequent ones show whether any runs.
        is_late=at - succeeded_at > late_after(name) if succeeded_at else _period(name) <= _FREQUENT,
    )


def _period(name: str) -> timedelta:
    return timedelta(seconds=settings.SWEEP_SECONDS[name])
