"""Count what came and was decided, by the hour, so that no page has to count a month of rows."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, Min

from moderation.models import HourlyCount
from moderation.models.notifications import NotificationKind
from moderation.operations.infrastructure import advisory_locks
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.operations.notifications import notify
from moderation.queries.activity import events, today
from moderation.queries.activity.hours import DAY, HOUR, hour_of

_RECOUNTED_HOURS = 2
"""Ended hours that are counted again: transactions commit late, and decisions are undone."""

_HOURS_FORWARD = 168
_HOURS_BACK = 48
"""So many hours at most are made up for in one run: behind the newest counted hour, and before the oldest."""


def count(*, at: datetime) -> int:
    """Count the present hour and the two before anew, then some that were missed; return how many hours.

    The counted hours have no gap: what was missed is counted from the newest counted hour on, and history
    from the oldest back to the first post.
    """
    with transaction.atomic():
        advisory_locks.take(AdvisoryLock.HOURLY_COUNTS)
        bounds = HourlyCount.objects.aggregate(first=Min("hour"), last=Max("hour"))
        present = hour_of(at)
        start = min(present, bounds["last"] or present) - _RECOUNTED_HOURS * HOUR
        end = min(present, start + _HOURS_FORWARD * HOUR) + HOUR
        _recount(start=start, end=end, at=at)
        for spike in today.spikes(start=max(start, present - DAY + HOUR), end=end):
            notify.write(kind=NotificationKind.SPIKE, subject=spike.measure, since=spike.hour, at=at)
        oldest = min(bounds["first"] or start, start)
        earlier = max(oldest - _HOURS_BACK * HOUR, events.first_hour() or oldest)
        if earlier < oldest:
            _recount(start=earlier, end=oldest, at=at)
    return round((end - start + max(oldest - earlier, timedelta())) / HOUR)


def _recount(*, start: datetime, end: datetime, at: datetime) -> None:
    counts = events.counted(start=start, end=end)
    HourlyCount.objects.filter(hour__gte=start, hour__lt=end).delete()
    HourlyCount.objects.bulk_create(
        [
            HourlyCount(hour=hour, measure=measure, user_id=user_id, number=number, counted_at=at)
            for (hour, measure, user_id), number in counts.items()
        ],
        batch_size=2_000,
    )
