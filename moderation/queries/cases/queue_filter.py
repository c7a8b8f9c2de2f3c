"""Filter and order of the queue."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from moderation.models import Case, PostLink
from moderation.models.cases import BLIND_REASONS
from moderation.queries.cases.backlog import aged


class Sort(StrEnum):
    """The orders of the queue.

    None reveals a hidden probability: the place of an audit sample does not depend on it.
    """

    HARM = "harm"
    UNCERTAINTY = "uncertainty"
    NEWEST = "newest"
    REPORTED = "reported"


KEYS = {
    Sort.HARM: "priority",
    Sort.UNCERTAINTY: "uncertainty",
    Sort.NEWEST: "opened_at",
    Sort.REPORTED: "complaint_count",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the queue, as a named queue says it; what is empty restricts nothing.

    `most` is how many more cases of it may be claimed; None: as many as there are.
    """

    name: str
    platform_id: int | None = None
    languages: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    most: int | None = None

    @property
    def condition(self) -> Q:
        """Return what its cases have in common."""
        wanted = Q(pk__isnull=False)  # an empty Q would vanish from a disjunction, and its cases with it
        if self.platform_id is not None:
            wanted &= Q(platform=self.platform_id)
        if self.languages:
            wanted &= Q(language__in=self.languages)
        if self.reasons:
            wanted &= Q(reason__in=self.reasons)
        return wanted


@dataclass(frozen=True, kw_only=True)
class QueueFilter:
    """Which cases, and in which order; empty means all of them. `age` is an index of backlog.BUCKETS.

    `parts` come one after the other; None is the whole queue, () is nothing of it.
    """

    reason: str = ""
    language: str = ""
    domain: str = ""
    campaign: int | None = None
    age: int | None = None
    sort: Sort = Sort.HARM
    parts: tuple[Part, ...] | None = None

    @property
    def is_narrow(self) -> bool:
        """Tell whether any case is left out."""
        return (
            bool(self.reason or self.language or self.domain)
            or self.campaign is not None
            or self.age is not None
            or self.parts is not None
        )

    @property
    def most(self) -> float:
        """Return how many cases may be claimed by it."""
        limits = [part.most for part in self.parts or () if part.most is not None]
        return sum(limits) if self.parts is not None and len(limits) == len(self.parts) else math.inf

    @property
    def in_turn(self) -> tuple[QueueFilter, ...]:
        """Return a filter for each part, in their order."""
        return (self,) if self.parts is None else tuple(replace(self, parts=(part,)) for part in self.parts)


EVERYTHING = QueueFilter()


def matching(cases: QuerySet[Case], wanted: QueueFilter, *, at: datetime) -> QuerySet[Case]:
    """Restrict to the cases that a filter matches."""
    if wanted.parts is not None:
        cases = cases.filter(reduce(or_, (part.condition for part in wanted.parts), Q(pk__in=())))
    if wanted.reason:
        cases = cases.filter(reason=wanted.reason)
    if wanted.language:
        cases = cases.filter(language=wanted.language)
    if wanted.age is not None:
        cases = cases.filter(aged(wanted.age, at=at))
    if wanted.domain:
        links = PostLink.objects.filter(domain__name=wanted.domain.lower())
        # By post, of which a case is the only open one; by score, every open case would be joined first.
        cases = cases.filter(post__in=links.values("revision__post"))
    if wanted.campaign is not None:
        cases = cases.filter(post__membership__campaign=wanted.campaign).exclude(reason__in=BLIND_REASONS)
    return cases
