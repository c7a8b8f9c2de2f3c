"""A platform's own cases, for those who review through the API."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from moderation.models import Case, Platform
from moderation.models.cases import CaseState


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which cases; `reason` and `priority_from` leave out others, `after` is the last (priority, id)."""

    state: str = CaseState.OPEN
    reason: str = ""
    priority_from: float | None = None
    after: tuple[float, int] | None = None


def of_platform(platform: Platform, *, reason: str = "") -> Q:
    """Return the condition for a platform's cases, of one reason or of all."""
    return Q(post__platform=platform) & (Q(reason=reason) if reason else Q())


def page(*, platform: Platform, wanted: Wanted, limit: int) -> tuple[list[Case], bool]:
    """Return cases by expected harm, and whether there are more."""
    rows = _shown().filter(of_platform(platform, reason=wanted.reason), state=wanted.state)
    if wanted.priority_from is not None:
        rows = rows.filter(priority__gte=wanted.priority_from)
    if wanted.after is not None:
        priority, last = wanted.after
        rows = rows.filter(Q(priority__lt=priority) | Q(priority=priority, id__gt=last))
    found = list(rows.order_by("-priority", "id")[: limit + 1])
    return found[:limit], len(found) > limit


def one(*, platform: Platform, case_id: int) -> Case:
    """Return a case of this platform. Raises Case.DoesNotExist."""
    return _shown().get(post__platform=platform, pk=case_id)


def some(*, case_ids: list[int]) -> list[Case]:
    """Return cases in this order."""
    found = _shown().in_bulk(case_ids)
    return [found[case_id] for case_id in case_ids if case_id in found]


def held(case: Case, *, at: datetime) -> bool:
    """Tell whether somebody holds a live claim."""
    return case.claimed_by_id is not None and case.lease_end_at is not None and case.lease_end_at > at


def _shown() -> QuerySet[Case]:
    rows = Case.objects.select_related("post__author", "score__revision", "claimed_by")
    return rows.defer(
        "score__record", "score__features", "score__word_contributions", "score__revision__journey"
    )
