"""Counts of waiting cases by reason, age and language."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Min, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from moderation.models import Case, User
from moderation.models.cases import CaseReason, CaseState

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# Bounds of the age buckets; the last bucket is open.
BUCKETS: tuple[tuple[StrOrPromise, timedelta], ...] = (
    (_("under 5 min"), timedelta(0)),
    (_("5 to 30 min"), timedelta(minutes=5)),
    (_("30 min to 2 h"), timedelta(minutes=30)),
    (_("2 to 8 h"), timedelta(hours=2)),
    (_("over 8 h"), timedelta(hours=8)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Number of cases in an age bucket; `index` is the value of the filter by age."""

    index: int
    name: str
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonCount:
    """How many cases wait for one reason."""

    value: str
    name: str
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The queue in numbers, as one role sees it, and the languages of the posts that wait."""

    total: int
    claimed: int
    oldest_at: datetime | None
    reasons: tuple[ReasonCount, ...]
    buckets: tuple[Bucket, ...]
    languages: tuple[str, ...]


def overview(*, viewer: User, at: datetime) -> Overview:
    """Count the open cases that a user may work on, in one pass."""
    aggregates: dict[str, Any] = {"cases": Count("pk"), "oldest_at": Min("opened_at")}
    aggregates["claimed"] = Count("pk", filter=Q(lease_end_at__gt=at))
    for index in range(len(BUCKETS)):
        aggregates[f"bucket_{index}"] = Count("pk", filter=aged(index, at=at))
    groups: list[Any] = list(visible(viewer).order_by().values("reason", "language").annotate(**aggregates))

    def total(name: str, **of: str) -> int:
        return sum(group[name] for group in groups if of.items() <= group.items())

    return Overview(
        total=total("cases"),
        claimed=total("claimed"),
        oldest_at=min((group["oldest_at"] for group in groups), default=None),
        reasons=tuple(
            ReasonCount(value=reason.value, name=str(reason.label), cases=total("cases", reason=reason.value))
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
    cases = Case.objects.filter(state=CaseState.OPEN)
    return cases if viewer.may_lead else cases.filter(is_escalated=False)


def aged(index: int, *, at: datetime) -> Q:
    """Return the condition for an age bucket of BUCKETS."""
    condition = Q(opened_at__lte=at - BUCKETS[index][1]) if index else Q()
    return condition & Q(opened_at__gt=at - BUCKETS[index + 1][1]) if index + 1 < len(BUCKETS) else condition
