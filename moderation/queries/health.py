"""How long the backlogs are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Min, QuerySet

from moderation.models import Case, Delivery, Export, Revision
from moderation.models.cases import CaseState
from moderation.models.deliveries import DeliveryState
from moderation.models.exports import ExportState
from moderation.models.posts import ScoreState


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Rows that wait for something, and since when. `late_after` is the age from which it deserves a look."""

    name: str
    waits_for: str
    rows: int
    oldest_at: datetime | None
    late_after: timedelta

    def is_late(self, *, at: datetime) -> bool:
        """Tell whether the oldest has waited too long."""
        return self.oldest_at is not None and at - self.oldest_at > self.late_after


def backlogs(*, at: datetime) -> list[Backlog]:
    """Return every backlog, in the order of a post's way through the product."""
    unscored = Revision.objects.filter(score_state__in=(ScoreState.PENDING, ScoreState.SCORING))
    degraded = Revision.objects.filter(score_state=ScoreState.DEGRADED)
    dead = Revision.objects.filter(score_state=ScoreState.DEAD)
    due = Delivery.objects.filter(state=DeliveryState.WAITING, next_attempt_at__lte=at)
    failed = Delivery.objects.filter(state=DeliveryState.FAILED)
    exports = Export.objects.filter(state__in=(ExportState.WAITING, ExportState.BUILDING))
    minute, hour = timedelta(minutes=1), timedelta(hours=1)
    return [
        _backlog("Posts to score", "a worker", unscored, "enqueued_at", minute),
        _backlog(
            "Scored without the content model",
            "Triton, then a second score",
            degraded,
            "enqueued_at",
            10 * minute,
        ),
        _backlog("Posts that could not be scored", "an operator", dead, "enqueued_at", minute),
        _backlog(
            "Cases in the queue",
            "a moderator",
            Case.objects.filter(state=CaseState.OPEN),
            "opened_at",
            8 * hour,
        ),
        _backlog("Decisions to deliver", "the platform's webhook", due, "next_attempt_at", 5 * minute),
        _backlog("Deliveries given up", "an operator", failed, "created_at", minute),
        _backlog("Exports to build", "a worker", exports, "requested_at", 10 * minute),
    ]


def _backlog(name: str, waits_for: str, rows: QuerySet[Any], since: str, late_after: timedelta) -> Backlog:
    found = rows.order_by().aggregate(rows=Count("pk"), oldest_at=Min(since))
    return Backlog(name=name, waits_for=waits_for, late_after=late_after, **found)
