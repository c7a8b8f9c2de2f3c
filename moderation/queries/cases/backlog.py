"""Counts of waiting cases by reason, age and language; the longest waiting time over the last day."""

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, Min, Q, QuerySet

from moderation.models import Case, User
from moderation.models.cases import CaseReason, CaseState
from moderation.queries import case_access
from moderation.queries.cases.queue_filter import BUCKETS, EVERYTHING, QueueFilter, aged, condition

STEPS = 48
STEP = timedelta(minutes=30)

# Of each half hour, the oldest of the cases that were closed in it: an index-only scan of one day's closings.
_CLOSED = """
select floor(extract(epoch from %(at)s - closed_at) / %(step)s)::int as steps_ago, min(opened_at)
from moderation_case where closed_at > %(start)s and closed_at <= %(at)s group by 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Number of cases in an age bucket; `index` is the value of the filter by age."""

    index: int
    name: str
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonCount:
    """How many cases wait for one reason, and how many of them the other filters match."""

    value: str
    name: str
    cases: int
    matching: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The queue in numbers, as one role sees it, and the languages of the posts that wait.

    `matching` counts the cases of any reason that the other filters match.
    """

    total: int
    matching: int
    claimed: int
    oldest_at: datetime | None
    reasons: tuple[ReasonCount, ...]
    buckets: tuple[Bucket, ...]
    languages: tuple[str, ...]


def overview(*, viewer: User, at: datetime, wanted: QueueFilter = EVERYTHING) -> Overview:
    """Count the open cases that a user may work on, in one pass; by reason also those of a filter."""
    others = condition(replace(wanted, reason=""), at=at)
    aggregates: dict[str, Any] = {"cases": Count("pk"), "oldest_at": Min("opened_at")}
    aggregates["matching"] = Count("pk", filter=others)
    aggregates["claimed"] = Count("pk", filter=Q(lease_end_at__gt=at))
    for index in range(len(BUCKETS)):
        aggregates[f"bucket_{index}"] = Count("pk", filter=aged(index, at=at))
    groups: list[Any] = list(visible(viewer).order_by().values("reason", "language").annotate(**aggregates))

    by_reason: dict[str, list[Any]] = defaultdict(list)
    for group in groups:
        by_reason[group["reason"]].append(group)

    def total(name: str, reason: str = "") -> int:
        return sum(group[name] for group in (by_reason[reason] if reason else groups))

    return Overview(
        total=total("cases"),
        matching=total("matching"),
        claimed=total("claimed"),
        oldest_at=min((group["oldest_at"] for group in groups), default=None),
        reasons=tuple(
            ReasonCount(
                value=reason.value,
                name=str(reason.label),
                cases=total("cases", reason=reason.value),
                matching=total("matching", reason=reason.value),
            )
            for reason in CaseReason
        ),
        buckets=tuple(
            Bucket(index=index, name=str(name), cases=total(f"bucket_{index}"))
            for index, (name, _) in enumerate(BUCKETS)
        ),
        languages=tuple(sorted({group["language"] for group in groups} - {""})),
    )


def visible(viewer: User) -> QuerySet[Case]:
    """Return the open cases that a user may work on."""
    cases = Case.objects.filter(state=CaseState.OPEN).exclude(case_access.kept_from(viewer))
    return cases if viewer.may_lead else cases.filter(is_escalated=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """The longest waiting time at `at`; zero if nothing waited."""

    at: datetime
    oldest: timedelta


def over_last_day(*, at: datetime) -> list[Age]:
    """Return 49 moments half an hour apart, the last of them `at`; a case reopened since was never closed."""
    still_open = case_access.waiting().order_by("opened_at")
    waiting = still_open.values_list("opened_at", flat=True).first()
    ages = [Age(at=at, oldest=_since(waiting, at=at))]
    closed = _oldest_closed(at=at)
    for steps_ago in range(STEPS):
        waiting = min((instant for instant in (waiting, closed.get(steps_ago)) if instant), default=None)
        moment = at - (steps_ago + 1) * STEP
        ages.append(Age(at=moment, oldest=_since(waiting, at=moment)))
    return ages[::-1]


def _oldest_closed(*, at: datetime) -> dict[int, datetime]:
    with connection.cursor() as cursor:
        # Cases still open count in every step; they are read apart, from their index.
        cursor.execute(_CLOSED, {"at": at, "start": at - STEPS * STEP, "step": STEP.total_seconds()})
        return dict(cursor.fetchall())


def _since(opened_at: datetime | None, *, at: datetime) -> timedelta:
    """Return the waiting time of the oldest case; zero if even that one was opened later."""
    return max(at - opened_at, timedelta()) if opened_at else timedelta()
