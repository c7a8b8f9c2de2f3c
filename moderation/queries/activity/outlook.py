"""The queue now, its trend, and failing deliveries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from django.db.models import Count, Min, Q

from moderation.models import Case, Delivery
from moderation.models.cases import CaseState
from moderation.models.deliveries import DeliveryState
from moderation.queries.health import health
from moderation.queries.health.health import OpenCircuits

SHORTEST = timedelta(hours=3)
"""Minimum time for the pace, so that it is not computed from a few minutes after midnight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """The queue now, and what was opened and closed since `since`."""

    at: datetime
    since: datetime
    waiting: int
    oldest_at: datetime | None
    opened: int
    closed: int

    @property
    def gain_per_hour(self) -> float:
        """Cases closed minus opened, per hour; negative if the queue grows."""
        return (self.closed - self.opened) / ((self.at - self.since) / timedelta(hours=1))

    @property
    def growth_per_hour(self) -> float:
        """Cases opened minus closed, per hour."""
        return -self.gain_per_hour

    @property
    def empty_in(self) -> timedelta | None:
        """When the queue is empty at this pace, None if never."""
        if not self.waiting or self.gain_per_hour <= 0:
            return None
        return timedelta(hours=self.waiting / self.gain_per_hour)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Failed deliveries, and endpoints whose circuit is open."""

    given_up: int
    circuits: OpenCircuits


def outlook(*, at: datetime) -> Outlook:
    """Count what waits, and the pace since midnight (UTC), in two queries."""
    midnight = datetime.combine(at.astimezone(UTC).date(), time.min, UTC)
    since = min(midnight, at - SHORTEST)
    is_new = Q(opened_at__gte=since)
    waiting = Case.objects.filter(state=CaseState.OPEN).order_by()
    now = waiting.aggregate(all=Count("pk"), oldest=Min("opened_at"), new=Count("pk", filter=is_new))
    closed = Case.objects.filter(closed_at__gte=since, closed_at__lte=at).order_by()
    past = closed.aggregate(all=Count("pk"), new=Count("pk", filter=is_new))
    return Outlook(
        at=at,
        since=since,
        waiting=now["all"],
        oldest_at=now["oldest"],
        opened=now["new"] + past["new"],
        closed=past["all"],
    )


def failures() -> Failures:
    """Count failed deliveries and open circuits."""
    given_up = Delivery.objects.filter(state=DeliveryState.FAILED)
    return Failures(given_up=given_up.count(), circuits=health.open_circuits())
