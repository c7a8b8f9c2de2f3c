"""Recent exposure of a moderator to one campaign or to graphic posts, to limit long runs."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from moderation.models import Case, Complaint, Decision, User
from moderation.models.posts import ComplaintReason

GRAPHIC = (ComplaintReason.ADULT, ComplaintReason.ABUSE)
"""Complaints that say a post is hard to look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """What the next case should avoid, if there is another one: None and False mean nothing."""

    similarity_group: UUID | None = None
    is_graphic: bool = False

    def spare(self, cases: QuerySet[Case]) -> QuerySet[Case]:
        """Exclude the cases that would continue the run."""
        if self.similarity_group is not None:
            cases = cases.exclude(score__revision__grouped__similarity_group=self.similarity_group)
        if self.is_graphic:
            cases = cases.exclude(Exists(_graphic_complaints()))
        return cases

    def __bool__(self) -> bool:
        return self.is_graphic or self.similarity_group is not None


def run(*, moderator: User, held: Iterable[Case], cap: int) -> Exposure:
    """Return what all of the last `cap` cases have in common, claimed ones included; two queries."""
    waiting = Case.objects.filter(pk__in=[case.pk for case in held])
    in_order = waiting.order_by("-is_escalated", "-priority", "id")
    seen = _kinds(in_order, group="score__revision__grouped__similarity_group")
    decided = Decision.objects.filter(decided_by=moderator).order_by("-decided_at", "-id")
    last = [*reversed(seen), *_kinds(decided[:cap], group="revision__grouped__similarity_group")][:cap]
    if len(last) < cap:
        return Exposure()
    groups = {group for group, _ in last}
    return Exposure(
        similarity_group=groups.pop() if len(groups) == 1 else None,
        is_graphic=all(is_graphic for _, is_graphic in last),
    )


def _kinds(rows: QuerySet[Case] | QuerySet[Decision], *, group: str) -> list[tuple[UUID, bool]]:
    return list(rows.annotate(is_graphic=Exists(_graphic_complaints())).values_list(group, "is_graphic"))


def _graphic_complaints() -> QuerySet[Complaint]:
    return Complaint.objects.filter(post=OuterRef("post"), reason__in=GRAPHIC)
