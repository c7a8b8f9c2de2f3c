"""Now: the queue and its trend, what fails, and who is at work.

People are never sorted by number: there are no leaderboards.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, OuterRef, Q, Subquery, Sum

from moderation.models import Case, Decision, Delivery, HourlyCount, Score, User
from moderation.models.cases import CaseState
from moderation.models.deliveries import DeliveryState
from moderation.models.scores import RouteChoice
from moderation.models.users import DECIDERS
from moderation.queries import case_access
from moderation.queries.activity.hours import DAY, HOUR, Period
from moderation.queries.health import health
from moderation.queries.health.health import OpenCircuits

_BUSY = 10
"""The pace is that of the last hour if as many cases were opened or closed in it, else that of the day."""

AT_WORK = timedelta(minutes=15)
"""A user who decided within this time, or holds a case, counts as at work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Cases opened in a time, closed by a person's decision, and closed by a later score or revision."""

    opened: int
    decided: int
    withdrawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """The queue now, and what came and went in the last hour and the last 24 hours."""

    waiting: int
    oldest_at: datetime | None
    hour: Flow
    day: Flow

    @property
    def is_by_hour(self) -> bool:
        """Whether the pace is that of the last hour."""
        return self.hour.opened + self.hour.decided + self.hour.withdrawn >= _BUSY

    @property
    def gain_per_hour(self) -> float:
        """Cases closed minus opened, per hour; negative if the queue grows."""
        flow, hours = (self.hour, 1) if self.is_by_hour else (self.day, 24)
        return (flow.decided + flow.withdrawn - flow.opened) / hours

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
    """Failed deliveries, endpoints whose circuit is open, and scores of 24 hours that lacked a model."""

    given_up: int
    circuits: OpenCircuits
    degraded: int


def outlook(*, at: datetime) -> Outlook:
    """Count what waits, and the pace, in two queries."""
    hour, day = (_flow(since=at - span) for span in (HOUR, DAY))
    counts = {f"hour_{what}": number for what, number in hour.items()}
    counts |= {f"day_{what}": number for what, number in day.items()}
    waiting = case_access.waiting().order_by()
    now = waiting.aggregate(all=Count("pk"), oldest=Min("opened_at"), **counts)
    past = Case.objects.filter(closed_at__gte=at - DAY, closed_at__lte=at).order_by().aggregate(**counts)
    return Outlook(
        waiting=now["all"],
        oldest_at=now["oldest"],
        hour=Flow(**{what: now[f"hour_{what}"] + past[f"hour_{what}"] for what in hour}),
        day=Flow(**{what: now[f"day_{what}"] + past[f"day_{what}"] for what in day}),
    )


def _flow(*, since: datetime) -> dict[str, Count]:
    """Return what counts the members of `Flow` among cases."""
    conditions = {
        "opened": Q(opened_at__gte=since),
        "decided": Q(closed_at__gte=since, state=CaseState.DECIDED),
        "withdrawn": Q(closed_at__gte=since, state=CaseState.WITHDRAWN),
    }
    return {what: Count("pk", filter=condition) for what, condition in conditions.items()}


def failures(*, at: datetime) -> Failures:
    """Count failed deliveries, open circuits and degraded scores."""
    degraded = Score.objects.filter(route=RouteChoice.REVIEW, is_degraded=True, scored_at__gt=at - DAY)
    return Failures(
        given_up=Delivery.objects.filter(state=DeliveryState.FAILED).count(),
        circuits=health.open_circuits(),
        degraded=degraded.count(),
    )


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
