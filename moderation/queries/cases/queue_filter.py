"""Filter and order of the queue."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import reduce
from operator import or_

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from moderation.models import CampaignMember, Complaint, PostLink
from moderation.models.cases import BLIND_REASONS, CaseReason
from moderation.queries.policies import policy_pages

# Bounds of the age buckets; the last bucket is open.
BUCKETS = (
    (_("under 5 min"), timedelta(0)),
    (_("5 to 30 min"), timedelta(minutes=5)),
    (_("30 min to 2 h"), timedelta(minutes=30)),
    (_("2 to 8 h"), timedelta(hours=2)),
    (_("over 8 h"), timedelta(hours=8)),
)


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
        query = Q(pk__isnull=False)  # an empty Q would vanish from a disjunction, and its cases with it
        if self.platform_id is not None:
            query &= Q(platform=self.platform_id)
        if self.languages:
            query &= Q(language__in=self.languages)
        if self.reasons:
            query &= Q(reason__in=self.reasons)
        return query


@dataclass(frozen=True, kw_only=True)
class QueueFilter:
    """Which cases, and in which order; empty means all of them. `age` is an index of BUCKETS.

    `parts` come one after the other; None is the whole queue, () is nothing of it. A first shift is golden
    items alone: no page may list what it selects, for nobody else must tell them from other blind reviews.
    `hides_automated` leaves out cases with complaints by machines alone.
    """

    reason: str = ""
    language: str = ""
    domain: str = ""
    campaign: int | None = None
    policy: int | None = None
    age: int | None = None
    hides_automated: bool = False
    sort: Sort = Sort.HARM
    parts: tuple[Part, ...] | None = None
    is_first_shift: bool = False

    @property
    def is_narrow(self) -> bool:
        """Tell whether any case is left out."""
        return replace(self, sort=Sort.HARM) != EVERYTHING

    @property
    def most(self) -> int | None:
        """Return how many cases may be claimed by it; None: as many as there are."""
        limits = [part.most for part in self.parts or () if part.most is not None]
        return sum(limits) if self.parts is not None and len(limits) == len(self.parts) else None

    @property
    def in_turn(self) -> "tuple[QueueFilter, ...]":
        """Return a filter for each part, in their order."""
        return (self,) if self.parts is None else tuple(replace(self, parts=(part,)) for part in self.parts)


EVERYTHING, FIRST_SHIFT = QueueFilter(), QueueFilter(is_first_shift=True)


def condition(wanted: QueueFilter, *, at: datetime) -> Q:
    """Return what the cases that a filter matches have in common."""
    query = Q()
    if wanted.parts is not None:
        query &= reduce(or_, (part.condition for part in wanted.parts), Q(pk__in=()))
    if wanted.is_first_shift:
        query &= Q(reason=CaseReason.BLIND, blind_review__golden__isnull=False)
    if wanted.reason:
        query &= Q(reason=wanted.reason)
    if wanted.language:
        query &= Q(language=wanted.language)
    if wanted.age is not None:
        query &= aged(wanted.age, at=at)
    if wanted.hides_automated:
        by_people = Complaint.objects.filter(post=OuterRef("post"), is_automated=False)
        query &= Q(complaint_count=0) | Q(Exists(by_people))
    if wanted.domain:
        links = PostLink.objects.filter(domain__name=wanted.domain.lower())
        # By post, of which a case is the only open one; by score, every open case would be joined first.
        query &= Q(post__in=links.values("revision__post"))
    if wanted.campaign is not None:
        members = CampaignMember.objects.filter(campaign=wanted.campaign)
        query &= Q(post__in=members.values("post")) & ~Q(reason__in=BLIND_REASONS)
    if wanted.policy is not None:
        # Blind reviewers must not read here what a model said of the text.
        query &= policy_pages.matching(wanted.policy) & ~Q(reason__in=BLIND_REASONS)
    return query


def aged(index: int, *, at: datetime) -> Q:
    """Return the condition for an age bucket of BUCKETS."""
    condition = Q(opened_at__lte=at - BUCKETS[index][1]) if index else Q()
    return condition & Q(opened_at__gt=at - BUCKETS[index + 1][1]) if index + 1 < len(BUCKETS) else condition
