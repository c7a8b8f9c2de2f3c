"""A platform's own queue and the people who decided its posts. Nobody is ever sorted by number."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Min, Q

from moderation.models import Case, Decision, Platform, User
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.queries.cases import platform_cases

WINDOW = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What waits, and what was opened and closed in the last day."""

    at: datetime
    waiting: int
    escalated: int
    claimed: int
    oldest_at: datetime | None
    reasons: Mapping[CaseReason, int]
    opened: int
    closed: int


@dataclass(frozen=True, slots=True)
class Reviewer:
    """One person's decisions on the platform's posts; `reversed` are those that somebody took back since."""

    user: User
    decisions: int
    spam: int
    reversed: int
    last_at: datetime


def queue(*, platform: Platform, at: datetime) -> Queue:
    """Count the platform's cases, without blind reviews, in two queries."""
    own = Case.objects.filter(platform_cases.of_platform(platform)).order_by()
    is_new = Q(opened_at__gte=at - WINDOW)
    groups = (
        own.filter(state=CaseState.OPEN)
        .values("reason")
        .annotate(
            cases=Count("pk"),
            escalated=Count("pk", filter=Q(is_escalated=True)),
            claimed=Count("pk", filter=Q(lease_end_at__gt=at)),
            oldest_at=Min("opened_at"),
            new=Count("pk", filter=is_new),
        )
    )
    by_reason = {CaseReason(group["reason"]): group for group in groups}
    past = own.filter(closed_at__gte=at - WINDOW, closed_at__lte=at).aggregate(
        all=Count("pk"), new=Count("pk", filter=is_new)
    )
    counts = by_reason.values()
    return Queue(
        at=at,
        waiting=sum(group["cases"] for group in counts),
        escalated=sum(group["escalated"] for group in counts),
        claimed=sum(group["claimed"] for group in counts),
        oldest_at=min((group["oldest_at"] for group in counts), default=None),
        reasons={reason: by_reason[reason]["cases"] for reason in CaseReason if reason in by_reason},
        opened=sum(group["new"] for group in counts) + past["new"],
        closed=past["all"],
    )


def reviewers(
    *, platform: Platform, since: datetime, until: datetime, only: User | None = None
) -> list[Reviewer]:
    """Return who decided posts of the platform in a period, in the order of their names, in two queries."""
    rows = Decision.objects.filter(
        post__platform=platform,
        source=DecisionSource.MODERATOR,
        decided_at__gte=since,
        decided_at__lt=until,
    )
    if only is not None:
        rows = rows.filter(decided_by=only)
    counted = (
        rows.order_by()
        .values_list("decided_by")
        .annotate(
            decisions=Count("pk"),
            spam=Count("pk", filter=Q(verdict=Verdict.SPAM)),
            reversed=Count("pk", filter=Q(reversal__isnull=False)),
            last_at=Max("decided_at"),
        )
    )
    users = User.objects.in_bulk([row[0] for row in counted])
    people = [Reviewer(users[person], *numbers) for person, *numbers in counted]
    return sorted(people, key=lambda reviewer: (str(reviewer.user).casefold(), reviewer.user.pk))
