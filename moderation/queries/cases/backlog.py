"""Counts of waiting cases by reason, age and language."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Count, Min, Q, QuerySet

from moderation.models import Case, User
from moderation.models.cases import CaseReason, CaseState
from moderation.queries import case_access
from moderation.queries.cases.queue_filter import BUCKETS, EVERYTHING, QueueFilter, aged, condition


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

    def total(name: str, **of: str) -> int:
        return sum(group[name] for group in groups if of.items() <= group.items())

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
