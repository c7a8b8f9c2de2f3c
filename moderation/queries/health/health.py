"""Sizes and ages of the backlogs, and recent scoring latency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import connection
from django.db.models import Count, Min, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from moderation.models import (
    AuditEntry,
    AuditLink,
    Delivery,
    EndpointCircuit,
    Erasure,
    Evidence,
    EvidenceRequest,
    Export,
    Score,
    ScoringJob,
    TrainingRun,
    UnkeptFile,
    desk_settings,
)
from moderation.models.deliveries import DeliveryState
from moderation.models.erasures import ErasureCause
from moderation.models.evidence import OPEN
from moderation.models.exports import ExportState
from moderation.models.posts import ScoreState
from moderation.models.training_runs import TrainingState
from moderation.models.webhooks import CircuitState, EndpointState
from moderation.queries import case_access

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

RECENT = 1_000
_SEQUENCES = {
    "moderation_post_id_seq": "posts",
    "moderation_complaint_id_seq": "complaints",
    "moderation_score_id_seq": "scores",
    "moderation_decision_id_seq": "decisions",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Waiting rows, and since when. `late_after` is the age from which it counts as late."""

    key: str
    name: str
    waits_for: str
    rows: int
    oldest_at: datetime | None
    late_after: timedelta

    def is_late(self, *, at: datetime) -> bool:
        """Return whether the oldest row is late."""
        return self.oldest_at is not None and at - self.oldest_at > self.late_after


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentScores:
    """The newest scores, 1,000 at most and 5 minutes old at most."""

    seconds: tuple[float, ...]
    degraded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCircuits:
    """Number of endpoints whose circuit is open, the first of them, and since when the oldest is."""

    endpoints: int
    first: int | None
    since: datetime | None


def open_circuits() -> OpenCircuits:
    """Count the circuits that are not closed."""
    opened = EndpointCircuit.objects.exclude(state=CircuitState.CLOSED)
    active = opened.filter(endpoint__state=EndpointState.ACTIVE)
    return OpenCircuits(
        **active.order_by().aggregate(endpoints=Count("pk"), first=Min("pk"), since=Min("since"))
    )


def backlogs(*, at: datetime) -> list[Backlog]:
    """Return every backlog, in the order of a post's way through the product."""
    return [
        Backlog(
            key=key,
            name=str(name),
            waits_for=str(waits_for),
            late_after=timedelta(minutes=minutes),
            **rows(at).order_by().aggregate(rows=Count("pk"), oldest_at=Min(since)),
        )
        for key, name, waits_for, rows, since, minutes in _BACKLOGS
    ]


def unsealed() -> QuerySet[AuditEntry]:
    """Return the audit entries beyond the end of the chain."""
    sealed = AuditLink.objects.order_by("-entry_id").values_list("entry_id", flat=True).first() or 0
    return AuditEntry.objects.filter(pk__gt=sealed)


def _waiting(at: datetime) -> QuerySet[Delivery]:
    deliveries = Delivery.objects.filter(state=DeliveryState.WAITING, next_attempt_at__lte=at)
    return deliveries.exclude(platform__in=desk_settings.current().platforms_off)


_HELD = Q(endpoint__in=EndpointCircuit.objects.exclude(state=CircuitState.CLOSED).values("endpoint"))
_BACKLOGS: tuple[tuple[str, StrPromise, StrPromise, Callable[[datetime], QuerySet[Any]], str, int], ...] = (
    ("scoring", _("Posts to score"), _("a worker"),
     lambda _at: ScoringJob.objects.filter(is_open=True, state__in=(ScoreState.PENDING, ScoreState.SCORING)),
     "enqueued_at", 1),
    ("degraded", _("Scored without one of the models"), _("Triton, then re-scoring"),
     lambda _at: ScoringJob.objects.filter(is_open=True, state=ScoreState.DEGRADED), "degraded_since", 10),
    ("dead", _("Posts that could not be scored"), _("an operator"),
     lambda _at: ScoringJob.objects.filter(state=ScoreState.DEAD), "enqueued_at", 1),
    ("evidence", _("Pages behind links to fetch"), _("a worker, or the sites"),
     lambda _at: Evidence.objects.filter(state__in=OPEN), "since", 10),
    ("evidence_requests", _("Posts whose links and pictures are to be looked up"), _("a worker"),
     lambda _at: EvidenceRequest.objects.filter(opened_at__isnull=True), "since", 10),
    ("thumbnails", _("Pictures to keep"), _("the store of pictures"),
     lambda _at: UnkeptFile.objects.all(), "since", 10),
    ("cases", _("Cases in the queue"), _("a moderator"),
     lambda _at: case_access.waiting(), "opened_at", 8 * 60),
    ("deliveries", _("Decisions to deliver"), _("the platform's webhook"),
     lambda at: _waiting(at).exclude(_HELD), "next_attempt_at", 1),
    ("held_deliveries", _("Deliveries on hold"), _("an endpoint that does not respond"),
     lambda at: _waiting(at).filter(_HELD), "next_attempt_at", 60),
    ("failed_deliveries", _("Failed deliveries"), _("an operator"),
     lambda _at: Delivery.objects.filter(state=DeliveryState.FAILED), "created_at", 1),
    ("exports", _("Exports to create"), _("a worker"),
     lambda _at: Export.objects.filter(state__in=(ExportState.WAITING, ExportState.BUILDING)),
     "requested_at", 10),
    ("training", _("Training runs to begin"), _("a worker"),
     lambda _at: TrainingRun.objects.filter(state=TrainingState.WAITING), "requested_at", 10),
    ("seals", _("Audit entries to seal"), _("a scheduled task"), lambda _at: unsealed(), "at", 1),
    ("erasures", _("Erasures to record"), _("a worker"),
     lambda _at: Erasure.objects.filter(cause=ErasureCause.REQUEST, journalled_at__isnull=True),
     "erased_at", 5),
)  # fmt: skip
"""Key, name, what it waits for, its rows, the column that says since when, and the minutes after which it is
late."""


def recent_scores(*, at: datetime) -> RecentScores:
    """Return how long the newest scores took from the post's arrival, in seconds; first scores only."""
    newest = Score.objects.filter(generation=1).order_by("-pk")
    rows = newest.values_list("scored_at", "revision__received_at", "is_degraded")[:RECENT]
    recent = [row for row in rows if at - row[0] < timedelta(minutes=5)]
    return RecentScores(
        seconds=tuple(max(0.0, (row[0] - row[1]).total_seconds()) for row in recent),
        degraded=sum(is_degraded for *_times, is_degraded in recent),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """State of the database server: age of its oldest transaction, and its clock."""

    oldest_transaction_seconds: float
    clock_at: datetime


def server_state() -> ServerState:
    """Read the server's state. Other roles' sessions are included only with the role `pg_read_all_stats`."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(extract(epoch FROM clock_timestamp() - min(xact_start)), 0)::float,"
            " clock_timestamp() FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_type = 'client backend'"
            " AND pid <> pg_backend_pid()"
        )
        seconds, clock_at = cursor.fetchone()
    return ServerState(oldest_transaction_seconds=max(0.0, seconds), clock_at=clock_at)


def totals() -> dict[str, int]:
    """Return how many rows of each kind were ever written, from the tables' sequences: no table is read.

    A transaction that was rolled back counts, too: use these for rates, not for exact counts.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sequencename, coalesce(last_value, 0) FROM pg_sequences"
            " WHERE schemaname = current_schema() AND sequencename = ANY(%s)",
            [list(_SEQUENCES)],
        )
        values = dict(cursor.fetchall())
    return {kind: values.get(sequence, 0) for sequence, kind in _SEQUENCES.items()}
