"""Users at work, and their decisions in a period. Never sorted by number: there are no leaderboards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, OuterRef, Q, Subquery, Sum

from moderation.models import Case, Decision, HourlyCount, User
from moderation.models.cases import CaseState
from moderation.models.users import DECIDERS
from moderation.queries.activity.hours import Period

AT_WORK = timedelta(minutes=15)
"""A user who decided within this time, or holds a case, counts as at work."""


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


def _member(user: User, held: int, counted: tuple[int, int], *, at: datetime) -> Member:
    last_at: datetime | None = user.last_at  # type: ignore[attr-defined]  # annotated
    return Member(
        user=user,
        name=user.get_full_name() or user.username,
        held=held,
        decided=counted[0],
        hours=counted[1],
        last_at=last_at,
        is_at_work=bool(held) or (last_at is not None and at - last_at < AT_WORK),
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
