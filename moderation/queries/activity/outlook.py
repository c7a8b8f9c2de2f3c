"""Now: the queue and its trend, failing deliveries, and who is at work.

People are never sorted by number: there are no leaderboards.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from django.db.models import Count, Min, OuterRef, Q, Subquery, Sum

from moderation.models import Case, Decision, Delivery, HourlyCount, User
from moderation.models.cases import CaseState
from moderation.models.deliveries import DeliveryState
from moderation.models.users import DECIDERS
from moderation.queries.activity.hours import Period
from moderation.queries.health import health
from moderation.queries.health.health import OpenCircuits

SHORTEST = timedelta(hours=3)
"""Minimum time for the pace, so that it is not computed from a few minutes after midnight."""

AT_WORK = timedelta(minutes=15)
"""A user who decided within this time, or holds a case, counts as at work."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One person: cases held now, and the decisions of the period with the hours that saw any."""

    user: User
    name: str
    held: int
    decided: int
    hours: int
    last_at: datetime | None
    is_at_work: bool


def members(*, period: Period, at: datetime) -> list[Member]:
    """Return who may decide or did so in the period, in the order of their names."""
    counts = _counts(period)
    claims = _held(at=at)
    is_shown = Q(is_active=True, role__in=DECIDERS) | Q(pk__in=counts)
    own = Decision.objects.filter(decided_by=OuterRef("pk"), decided_at__lte=at)
    last = own.order_by("-decided_at", "-id").values("decided_at")[:1]
    users = User.objects.filter(is_shown).annotate(last_at=Subquery(last))
    people = [_member(user, claims.get(user.pk, 0), counts.get(user.pk, (0, 0)), at=at) for user in users]
    return sorted(people, key=lambda member: (member.name.casefold(), member.user.pk))


def _member(user: User, claims: int, counted: tuple[int, int], *, at: datetime) -> Member:
    last_at: datetime | None = user.last_at  # type: ignore[attr-defined]  # annotated
    return Member(
        user=user,
        name=user.get_full_name() or user.username,
        held=claims,
        decided=counted[0],
        hours=counted[1],
        last_at=last_at,
        is_at_work=bool(claims) or (last_at is not None and at - last_at < AT_WORK),
    )


def _counts(period: Period) -> dict[int, tuple[int, int]]:
    """Return each person's decisions and the hours with any."""
    rows = HourlyCount.objects.filter(user__isnull=False, hour__gte=period.start, hour__lt=period.end)
    grouped = (
        rows.order_by().values_list("user").annotate(all=Sum("number"), hours=Count("hour", distinct=True))
    )
    return {user_id: (number, hours) for user_id, number, hours in grouped}


def _held(*, at: datetime) -> dict[int, int]:
    cases = Case.objects.filter(claimed_by__isnull=False, lease_end_at__gt=at, state=CaseState.OPEN)
    return dict(cases.order_by().values_list("claimed_by").annotate(all=Count("pk")))
