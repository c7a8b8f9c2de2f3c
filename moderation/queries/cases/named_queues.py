"""Named queues: a user's assignments with today's progress, and all queues for leads."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Prefetch
from django.utils import timezone

from moderation.models import Case, Decision, NamedQueue, QueueAssignment, User
from moderation.models.cases import CaseState
from moderation.queries import case_access
from moderation.queries.cases.queue_filter import Part

COUNTED = 1_000
"""More waiting cases than these are not counted: "1,000+" says enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """A queue that a user works on; `decided` are those of today, counted only where a limit stands.

    What the user holds counts towards the limit of what can be claimed (`part.most`), not as decided.
    """

    queue_id: int
    part: Part
    limit: int | None
    decided: int

    @property
    def is_reached(self) -> bool:
        """Return whether today's limit is reached."""
        return self.limit is not None and self.decided >= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A queue as leads see it; `waiting` is counted up to COUNTED + 1."""

    queue: NamedQueue
    waiting: int
    assignments: tuple[QueueAssignment, ...]

    @property
    def is_cut(self) -> bool:
        """Return whether more wait than were counted."""
        return self.waiting > COUNTED


def part_of(queue: NamedQueue) -> Part:
    """Return the part of the queue that a named queue is."""
    return Part(
        name=queue.name,
        platform_id=queue.platform_id,
        languages=tuple(queue.languages),
        reasons=tuple(queue.reasons),
    )


def assigned(*, user: User, at: datetime) -> list[Assigned]:
    """Return the queues of a user, in the order in which they are worked through."""
    rows = QueueAssignment.objects.filter(user=user).select_related("queue")
    return [_assigned(row, user, at=at) for row in rows]


def open_to(user: User, *, at: datetime) -> list[tuple[int, str]]:
    """Return id and name of the queues that a user may choose: their own, for leads all."""
    if user.may_lead:
        return list(NamedQueue.objects.values_list("pk", "name"))
    return [(each.queue_id, each.part.name) for each in assigned(user=user, at=at)]


def listed() -> list[Listed]:
    """Return all queues by name, with waiting cases and assigned users."""
    people = QueueAssignment.objects.select_related("user").order_by("position", "user__username")
    queues = NamedQueue.objects.select_related("platform").prefetch_related(Prefetch("assignments", people))
    return [
        Listed(queue=queue, waiting=_waiting(part_of(queue)), assignments=tuple(queue.assignments.all()))
        for queue in queues
    ]


def _assigned(row: QueueAssignment, user: User, *, at: datetime) -> Assigned:
    part, limit, decided = part_of(row.queue), row.daily_limit, 0
    if limit is not None:
        decided = _decided_today(user, part, at=at)
        own = Case.objects.filter(part.condition, claimed_by=user, state=CaseState.OPEN, lease_end_at__gt=at)
        part = replace(part, most=max(0, limit - decided - own.count()))
    return Assigned(queue_id=row.queue_id, part=part, limit=limit, decided=decided)


def _waiting(part: Part) -> int:
    return case_access.waiting().filter(part.condition)[: COUNTED + 1].count()


def _decided_today(user: User, part: Part, *, at: datetime) -> int:
    begin = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    own = Decision.objects.filter(decided_by=user, decided_at__gte=begin, case__isnull=False)
    return Case.objects.filter(part.condition, pk__in=own.values("case")).count()
