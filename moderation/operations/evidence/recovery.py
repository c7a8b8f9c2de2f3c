"""Find evidence whose turn has come, whose message was lost or whose worker died. Nothing waits for ever."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from moderation import enqueue
from moderation.models import Evidence, EvidenceRequest
from moderation.models.evidence import EvidenceState
from moderation.operations.evidence import leases, picture_model, sent_pictures, thumbnails
from moderation.operations.infrastructure import sweeps

MAX_ATTEMPTS = 3
SWEEP_LIMIT = 500


def sweep(*, at: datetime) -> int:
    """Enqueue again what is due, and keep files that wait for the store; return how many.

    Rows that were tried too often end as LOST.

    Pictures about which the image model did not answer are asked about again.
    """
    forgotten = sweeps.forgotten(has_backlog=enqueue.messages().get("evidence", 0) > 0, at=at)
    enqueued = _requests(forgotten, at=at) + _addresses(forgotten, at=at)
    picture_model.ask_again(at=at)
    sent_pictures.drop_old(at=at)
    return enqueued + thumbnails.bring()


def _requests(forgotten: Q, *, at: datetime) -> int:
    with transaction.atomic():
        requests = EvidenceRequest.objects.select_for_update(skip_locked=True, of=("self",))
        unopened = requests.filter(forgotten, opened_at__isnull=True)
        rows = list(unopened.order_by("enqueued_at")[:SWEEP_LIMIT])
        EvidenceRequest.objects.filter(pk__in=[row.pk for row in rows]).update(enqueued_at=at)
        enqueue.evidence_of(revision_ids=[row.revision_id for row in rows])
    return len(rows)


def _addresses(forgotten: Q, *, at: datetime) -> int:
    # Postponed for its site's sake after its message was sent: the message is used up.
    postponed = Q(due_at__gt=F("enqueued_at"))
    with transaction.atomic():
        rows = list(
            Evidence.objects.select_for_update(no_key=True, skip_locked=True)
            .filter(
                Q(state=EvidenceState.WAITING) & leases.is_due(at=at) & (postponed | forgotten)
                | Q(state=EvidenceState.FETCHING) & leases.is_over(at=at)
            )
            .order_by("due_at", "id")[:SWEEP_LIMIT]
        )
        lost_ids = [row.pk for row in rows if row.attempts >= MAX_ATTEMPTS]
        ids = [row.pk for row in rows if row.attempts < MAX_ATTEMPTS]
        Evidence.objects.filter(pk__in=lost_ids).update(
            state=EvidenceState.LOST, fetched_at=at, lease_until=None, detail=f"tried {MAX_ATTEMPTS} times"
        )
        # A clock set back must not postpone for as long as it was moved: due again from now.
        Evidence.objects.filter(pk__in=ids).update(enqueued_at=at, due_at=at)
        enqueue.evidence(evidence_ids=ids)
    return len(ids)
