"""Sizes and ages of the backlogs, and recent scoring latency."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, Min, QuerySet
from django.utils.translation import gettext as _

from moderation.models import (
    AuditEntry,
    AuditLink,
    Case,
    Delivery,
    EndpointCircuit,
    Erasure,
    Evidence,
    EvidenceRequest,
    Export,
    Revision,
    Score,
    TrainingRun,
    UnkeptFile,
)
from moderation.models.cases import CaseState
from moderation.models.deliveries import DeliveryState
from moderation.models.erasures import ErasureCause
from moderation.models.evidence import OPEN
from moderation.models.exports import ExportState
from moderation.models.posts import ScoreState
from moderation.models.training_runs import TrainingState
from moderation.models.webhooks import CircuitState, EndpointState

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
    """Number of endpoints whose circuit is open, and since when the oldest is."""

    endpoints: int
    since: datetime | None


def open_circuits() -> OpenCircuits:
    """Count the circuits that are not closed."""
    opened = EndpointCircuit.objects.exclude(state=CircuitState.CLOSED)
    active = opened.filter(endpoint__state=EndpointState.ACTIVE)
    return OpenCircuits(**active.order_by().aggregate(endpoints=Count("pk"), since=Min("since")))


def backlogs(*, at: datetime) -> list[Backlog]:
    """Return every backlog, in the order of a post's way through the product."""
    unscored = Revision.objects.filter(score_state__in=(ScoreState.PENDING, ScoreState.SCORING))
    degraded = Revision.objects.filter(score_state=ScoreState.DEGRADED)
    dead = Revision.objects.filter(score_state=ScoreState.DEAD)
    waiting = Delivery.objects.filter(state=DeliveryState.WAITING, next_attempt_at__lte=at)
    held = waiting.filter(
        endpoint__in=EndpointCircuit.objects.exclude(state=CircuitState.CLOSED).values("endpoint")
    )
    due = waiting.exclude(
        endpoint__in=EndpointCircuit.objects.exclude(state=CircuitState.CLOSED).values("endpoint")
    )
    failed = Delivery.objects.filter(state=DeliveryState.FAILED)
    exports = Export.objects.filter(state__in=(ExportState.WAITING, ExportState.BUILDING))
    training = TrainingRun.objects.filter(state=TrainingState.WAITING)
    unwritten = Erasure.objects.filter(cause=ErasureCause.REQUEST, journalled_at__isnull=True)
    sealed = AuditLink.objects.order_by("-entry_id").values_list("entry_id", flat=True).first() or 0
    unsealed = AuditEntry.objects.filter(pk__gt=sealed)
    minute, hour = timedelta(minutes=1), timedelta(hours=1)
    return [
        _backlog("scoring", _("Posts to score"), _("a worker"), unscored, "enqueued_at", minute),
        _backlog(
            "degraded",
            _("Scored without one of the models"),
            _("Triton, then re-scoring"),
            degraded,
            "degraded_since",
            10 * minute,
        ),
        _backlog("dead", _("Posts that could not be scored"), _("an operator"), dead, "enqueued_at", minute),
        _backlog(
            "evidence",
            _("Pages behind links to fetch"),
            _("a worker, or the sites"),
            Evidence.objects.filter(state__in=OPEN),
            "since",
            10 * minute,
        ),
        _backlog(
            "evidence_requests",
            _("Posts whose links and pictures are to be looked up"),
            _("a worker"),
            EvidenceRequest.objects.filter(opened_at__isnull=True),
            "since",
            10 * minute,
        ),
        _backlog(
            "thumbnails",
            _("Pictures to keep"),
            _("the store of pictures"),
            UnkeptFile.objects.all(),
            "since",
            10 * minute,
        ),
        _backlog(
            "cases",
            _("Cases in the queue"),
            _("a moderator"),
            Case.objects.filter(state=CaseState.OPEN),
            "opened_at",
            8 * hour,
        ),
        _backlog(
            "deliveries",
            _("Decisions to deliver"),
            _("the platform's webhook"),
            due,
            "next_attempt_at",
            minute,
        ),
        _backlog(
            "held_deliveries",
            _("Deliveries on hold"),
            _("an endpoint that does not respond"),
            held,
            "next_attempt_at",
            hour,
        ),
        _backlog("failed_deliveries", _("Failed deliveries"), _("an operator"), failed, "created_at", minute),
        _backlog("exports", _("Exports to create"), _("a worker"), exports, "requested_at", 10 * minute),
        _backlog(
            "training", _("Training runs to begin"), _("a worker"), training, "requested_at", 10 * minute
        ),
        _backlog("seals", _("Audit entries to seal"), _("a scheduled task"), unsealed, "at", minute),
        _backlog("erasures", _("Erasures to record"), _("a worker"), unwritten, "erased_at", 5 * minute),
    ]


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
        found = dict(cursor.fetchall())
    return {kind: found.get(sequence, 0) for sequence, kind in _SEQUENCES.items()}


def _backlog(
    key: str, name: str, waits_for: str, rows: QuerySet[Any], since: str, late_after: timedelta
) -> Backlog:
    found = rows.order_by().aggregate(rows=Count("pk"), oldest_at=Min(since))
    return Backlog(key=key, name=name, waits_for=waits_for, late_after=late_after, **found)
