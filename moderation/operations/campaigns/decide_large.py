"""Decide campaigns that are too large for one request: batch by batch, each in its own transaction.

The row stores the progress, so that the successor of a killed worker continues where it stopped.
"""

import time
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from moderation import enqueue
from moderation.models import CampaignDecision, Decision, desk_settings
from moderation.models.campaigns import OPEN_STATES, CampaignDecisionState
from moderation.operations.campaigns import apply, campaign_reversals
from moderation.operations.outbox import announce
from moderation.queries.health import clocks

PIECE = 500
"""Posts per transaction: few enough that nobody waits long for their locks."""

_LEASE = timedelta(seconds=60)
_LONGEST_UNDO = timedelta(seconds=desk_settings.MOST_UNDO_SECONDS)
_BUSY_SECONDS = 20.0


def run_pieces(*, campaign_decision_id: int, at: datetime) -> int:
    """Decide batch after batch; return how many. After a while the rest is left to another task."""
    started, pieces = time.monotonic(), 0
    while run_piece(campaign_decision_id=campaign_decision_id, at=at):
        pieces += 1
        if time.monotonic() - started > _BUSY_SECONDS:
            with transaction.atomic():
                enqueue.campaign(campaign_decision_id=campaign_decision_id)
            break
    return pieces


def run_piece(*, campaign_decision_id: int, at: datetime) -> bool:
    """Decide the next batch; return whether there was one. Safe to run twice and concurrently."""
    with transaction.atomic():
        decision = campaign_reversals.locked(campaign_decision_id)
        due_at = decision.effective_at
        if decision.state not in OPEN_STATES or not clocks.passed(due_at, at=at, longest=_LONGEST_UNDO):
            return False
        piece = _next_decisions(decision) if decision.corrects_id else _next_members(decision)
        if piece and decision.corrects_id:
            campaign_reversals.compensate(correction=decision, decision_ids=piece, at=at)
        elif piece:
            apply.settle(decision=decision, member_ids=piece, at=at)
        # In the transaction of the batch, so that a killed worker leaves none half done and none done twice.
        decision.reached_id = piece[-1] if piece else decision.reached_id
        decision.state = CampaignDecisionState.RUNNING if piece else CampaignDecisionState.DONE
        decision.lease_until = at + _LEASE if piece else None
        decision.save(update_fields=("reached_id", "state", "lease_until"))
        if not piece:
            announce.campaign_decided(decision)
    return bool(piece)


def sweep(*, at: datetime) -> int:
    """Enqueue unfinished decisions whose message was lost or whose worker was killed; return how many."""
    is_due = clocks.has_passed("effective_at", at=at, longest=_LONGEST_UNDO)
    is_free = Q(lease_until__isnull=True) | clocks.has_passed("lease_until", at=at, longest=_LEASE)
    unfinished = CampaignDecision.objects.filter(is_due, is_free, state__in=OPEN_STATES)
    decisions = list(unfinished.order_by("effective_at", "id")[:100])
    with transaction.atomic():
        for decision in decisions:
            enqueue.campaign(campaign_decision_id=decision.pk)
    return len(decisions)


def _next_members(decision: CampaignDecision) -> list[int]:
    return sorted(pk for pk in decision.member_ids if pk > decision.reached_id)[:PIECE]


def _next_decisions(correction: CampaignDecision) -> list[int]:
    decisions = Decision.objects.filter(
        campaign_decision=correction.corrects_id, reversal__isnull=True, pk__gt=correction.reached_id
    )
    return list(decisions.order_by("id").values_list("pk", flat=True)[:PIECE])
