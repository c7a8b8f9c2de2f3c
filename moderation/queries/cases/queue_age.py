"""The longest waiting time in the queue, at moments of the last day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from moderation import standby
from moderation.models import Case
from moderation.models.cases import CaseState

STEPS = 48
STEP = timedelta(minutes=30)

# Of each half hour, the oldest of the cases that were closed in it: an index-only scan of one day's closings.
_CLOSED = """
select floor(extract(epoch from %(at)s - closed_at) / %(step)s)::int as steps_ago, min(opened_at)
from moderation_case where closed_at > %(start)s and closed_at <= %(at)s group by 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """The longest waiting time at `at`; zero if nothing waited."""

    at: datetime
    oldest: timedelta


def over_last_day(*, at: datetime) -> list[Age]:
    """Return 49 moments half an hour apart, the last of them `at`; a case reopened since was never closed."""
    still_open = Case.objects.filter(state=CaseState.OPEN).order_by("opened_at")
    waiting = still_open.values_list("opened_at", flat=True).first()
    found = [Age(at=at, oldest=_since(waiting, at=at))]
    closed = _oldest_closed(at=at)
    for steps_ago in range(STEPS):
        waiting = min((one for one in (waiting, closed.get(steps_ago)) if one), default=None)
        moment = at - (steps_ago + 1) * STEP
        found.append(Age(at=moment, oldest=_since(waiting, at=moment)))
    return found[::-1]


def _oldest_closed(*, at: datetime) -> dict[int, datetime]:
    with standby.connection().cursor() as cursor:
        # Cases still open count in every step; they are read apart, from their index.
        cursor.execute(_CLOSED, {"at": at, "start": at - STEPS * STEP, "step": STEP.total_seconds()})
        return dict(cursor.fetchall())


def _since(opened_at: datetime | None, *, at: datetime) -> timedelta:
    """Return the waiting time of the oldest case; zero if even that one was opened later."""
    return max(at - opened_at, timedelta()) if opened_at else timedelta()
