"""Recover scoring after lost messages and dead workers, and rescore when the content model is back."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from moderation import enqueue, scorer
from moderation.models import Revision
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.policies import matches
from moderation.operations.scoring import leases
from moderation.queries.health import clocks

MAX_ATTEMPTS = 8
SWEEP_AFTER_SECONDS = 30
SWEEP_BACKLOG_AFTER_SECONDS = 600
SWEEP_LIMIT = 2_000


def sweep(*, at: datetime) -> int:
    """Enqueue revisions whose message was lost or whose worker died; return how many.

    While messages wait in the broker a pending revision is probably among them: then it counts as lost only
    after a long time, else a backlog would be enqueued again and again.
    """
    patience = SWEEP_BACKLOG_AFTER_SECONDS if enqueue.scoring_backlog() else SWEEP_AFTER_SECONDS
    with transaction.atomic():
        due = list(
            Revision.objects.select_for_update(skip_locked=True)
            .filter(
                Q(score_state=ScoreState.PENDING) & _is_forgotten(at=at, patience=timedelta(seconds=patience))
                | Q(score_state=ScoreState.SCORING) & leases.is_over(at=at)
            )
            .order_by("enqueued_at", "id")[:SWEEP_LIMIT]
        )
        dead = [revision.pk for revision in due if revision.attempts >= MAX_ATTEMPTS]
        open_again = [revision.pk for revision in due if revision.attempts < MAX_ATTEMPTS]
        Revision.objects.filter(pk__in=dead).update(score_state=ScoreState.DEAD)
        # Revisions of a killed worker keep their old time of arrival, so that the next task of any post takes
        # them along, whatever the backlog. Only once: a post may be what kills the workers.
        left = [row.pk for row in due if row.score_state == ScoreState.SCORING and row.attempts == 1]
        Revision.objects.filter(pk__in=left).update(score_state=ScoreState.PENDING, lease_until=None)
        Revision.objects.filter(pk__in=open_again).exclude(pk__in=left).update(enqueued_at=at)
        enqueue.scoring(revision_ids=open_again)
    return len(open_again)


def rescore_degraded(*, at: datetime) -> int:
    """Score degraded posts again once the content model answers; return how many were enqueued.

    While a policy in words holds posts, the topics model has to answer, too: posts that could not be compared
    with it are among them.
    """
    degraded = Revision.objects.filter(score_state=ScoreState.DEGRADED)
    if not degraded.exists() or not scorer.content().is_ready() or not matches.is_ready(at=at):
        return 0
    with transaction.atomic():
        free = degraded.select_for_update(skip_locked=True).order_by("enqueued_at", "id")[:SWEEP_LIMIT]
        due = rescore.again(free.values_list("pk", flat=True), at=at, states=(ScoreState.DEGRADED,))
    return len(due)


def _is_forgotten(*, at: datetime, patience: timedelta) -> Q:
    """Enqueued long ago, or in the future, because the clock was set back since."""
    return Q(enqueued_at__lt=at - patience) | clocks.is_too_far("enqueued_at", at=at, longest=timedelta())
