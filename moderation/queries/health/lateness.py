"""What is late, from few rows: health checks may poll often, and without a key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Min, OuterRef, QuerySet, Subquery

from moderation.models import (
    Delivery,
    Erasure,
    Evidence,
    EvidenceRequest,
    ScoringJob,
    UnkeptFile,
    WebhookEndpoint,
)
from moderation.models.deliveries import DeliveryState
from moderation.models.erasures import ErasureCause
from moderation.models.evidence import OPEN
from moderation.models.posts import ScoreState
from moderation.models.webhooks import CircuitState
from moderation.queries.health import health, processes

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """A late item: `seconds` since it was due; None if it never happened.

    Housekeeping depends on the installation alone; the rest may be late because of load or of a platform.
    """

    what: str
    seconds: float | None
    is_housekeeping: bool


def late(*, at: datetime) -> list[Late]:
    """Return what is late, housekeeping first."""
    items = [
        Late(what=sweep.name, seconds=age.total_seconds() if age else None, is_housekeeping=True)
        for sweep in processes.sweeps(at=at)
        if sweep.is_late
        for age in [sweep.age(at=at)]
    ]
    unopened = EvidenceRequest.objects.filter(opened_at__isnull=True)
    unkept_since = UnkeptFile.objects.order_by("since").values_list("since", flat=True)
    waiting = (
        ("seals", health.unsealed().order_by("pk").values_list("at", flat=True).first(), _MINUTE, True),
        ("erasures", _oldest_unwritten_at(), 5 * _MINUTE, True),
        ("scoring", oldest_unscored_at(), _MINUTE, False),
        ("evidence", _oldest(Evidence.objects.filter(state__in=OPEN)), 10 * _MINUTE, False),
        # The worker that fetches also opens: without it there are no rows of addresses, only these.
        ("evidence_requests", _oldest(unopened), 10 * _MINUTE, False),
        ("thumbnails", unkept_since.first(), 10 * _MINUTE, False),
        ("deliveries", _oldest_due_at(), _MINUTE, False),
    )
    for what, since, after, is_housekeeping in waiting:
        if since is not None and at - since > after:
            seconds = (at - since).total_seconds()
            items.append(Late(what=what, seconds=seconds, is_housekeeping=is_housekeeping))
    return items


def oldest_unscored_at() -> datetime | None:
    """Return since when the longest-waiting post has waited for its score, None if none waits.

    `deploy/kubernetes/autoscaling.yaml` asks the same.
    """
    waiting = (ScoreState.PENDING, ScoreState.SCORING)
    unscored = ScoringJob.objects.filter(is_open=True, state__in=waiting)
    return unscored.order_by("enqueued_at", "pk").values_list("enqueued_at", flat=True).first()


def _oldest_due_at() -> datetime | None:
    """Return when the oldest due delivery was due, except those of endpoints whose circuit is open."""
    waiting = Delivery.objects.filter(endpoint=OuterRef("pk"), state=DeliveryState.WAITING)
    first = waiting.order_by("next_attempt_at").values("next_attempt_at")[:1]
    closed = WebhookEndpoint.objects.exclude(circuit__state__in=(CircuitState.OPEN, CircuitState.HALF_OPEN))
    times: dict[str, datetime | None] = closed.order_by().aggregate(first=Min(Subquery(first)))
    return times["first"]


def _oldest_unwritten_at() -> datetime | None:
    waiting = Erasure.objects.filter(cause=ErasureCause.REQUEST, journalled_at__isnull=True)
    return waiting.order_by("id").values_list("erased_at", flat=True).first()


def _oldest(waiting: QuerySet[Any]) -> datetime | None:
    since: datetime | None = waiting.order_by().aggregate(since=Min("since"))["since"]
    return since
