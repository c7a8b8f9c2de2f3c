"""Write decisions with all that belongs to them, in one transaction: label, audit entry and delivery."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from moderation import enqueue
from moderation.models import AuditEntry, Decision, Delivery, Label, User
from moderation.models.cases import DecisionSource, Verdict
from moderation.models.deliveries import DeliveryState


def record(
    *, decisions: Sequence[Decision], event: str = "decision.created", is_swept: bool = False
) -> list[Decision]:
    """Save new decisions with label, audit entry and delivery. Call inside a transaction.

    Their `revision`, `post`, `post.platform` and `score` are loaded. Only human decisions become labels:
    the filter must never learn from its own verdicts. With `is_swept` no message is sent for each delivery:
    the sweep finds them when they are due, which spares hundreds of messages for one campaign.
    """
    saved = Decision.objects.bulk_create(decisions)
    Label.objects.bulk_create([_label(decision) for decision in saved if decision.decided_by_id])
    AuditEntry.objects.bulk_create([_audit_entry(decision) for decision in saved])
    deliveries = Delivery.objects.bulk_create([_delivery(decision, event=event) for decision in saved])
    for delivery in deliveries:
        if delivery.state == DeliveryState.WAITING and not is_swept:
            countdown = (delivery.next_attempt_at - delivery.created_at).total_seconds()
            enqueue.delivery(delivery_id=str(delivery.pk), countdown_seconds=countdown)
    return saved


def effective_at(*, source: DecisionSource, decided_at: datetime) -> datetime:
    """Return when the platform may learn of a decision: a moderator keeps the time for undoing."""
    if source == DecisionSource.AUTOMATIC:
        return decided_at
    return decided_at + timedelta(seconds=settings.UNDO_SECONDS)


def audit(
    *,
    action: str,
    subject_kind: str,
    subject_id: object,
    actor: User | None,
    at: datetime,
    **details: object,
) -> None:
    """Add one audit entry. Call inside the transaction of the act that it tells of."""
    AuditEntry.objects.create(
        at=at,
        actor=actor,
        action=action,
        subject_kind=subject_kind,
        subject_id=str(subject_id),
        details=details,
    )


def retract_label(*, post_id: int, at: datetime) -> None:
    """Retract the post's live label, if it has one. Call inside the transaction of the act that does so."""
    Label.objects.filter(post_id=post_id, retracted_at__isnull=True).update(retracted_at=at)


def _label(decision: Decision) -> Label:
    return Label(
        decision=decision,
        post=decision.post,
        is_spam=decision.verdict == Verdict.SPAM,
        similarity_group=decision.revision.similarity_group,
        labelled_at=decision.decided_at,
    )


def _audit_entry(decision: Decision) -> AuditEntry:
    return AuditEntry(
        at=decision.decided_at,
        actor=decision.decided_by,
        action="decision.created",
        subject_kind="decision",
        subject_id=str(decision.pk),
        details={
            "post": decision.post_id,
            "case": decision.case_id,
            "verdict": decision.verdict,
            "source": decision.source,
            "reason": decision.reason,
            "campaign": decision.campaign_decision and decision.campaign_decision.campaign_id,
        },
    )


def _delivery(decision: Decision, *, event: str) -> Delivery:
    platform = decision.post.platform
    return Delivery(
        platform=platform,
        decision=decision,
        event=event,
        body=_body(decision, event=event),
        state=DeliveryState.WAITING if platform.webhook_url else DeliveryState.POLLED,
        created_at=decision.decided_at,
        next_attempt_at=decision.effective_at,
    )


def _body(decision: Decision, *, event: str) -> dict[str, Any]:
    """Return the webhook's body as the Standard Webhooks specification wants it: type, timestamp, data."""
    return {
        "type": event,
        "timestamp": decision.decided_at.isoformat(),
        "data": {
            "decision": str(decision.pk),
            "post": {"external_id": decision.post.external_id, "revision": decision.revision.number},
            "verdict": decision.verdict,
            "source": decision.source,
            "reason": decision.reason,
            "spam_probability": round(decision.score.spam_probability, 6),
            "is_degraded": decision.score.is_degraded,
            "release": decision.score.release_id,
        },
    }
