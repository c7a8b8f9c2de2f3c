"""Settle appeals: the next human decision on a disputed post is the answer, unless it is undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db.models import Q

from moderation.models import Appeal, Decision
from moderation.models.webhooks import WebhookEvent
from moderation.operations.infrastructure import transactions
from moderation.operations.outbox import messages
from moderation.operations.outbox.messages import Message
from moderation.queries import wire


@transactions.required
def resolve(*, decisions: Sequence[Decision], reverses: Mapping[int, int]) -> None:
    """Give the appeals of these posts their outcome: the open ones, and those whose outcome is replaced.

    `reverses` names the replaced decisions, by post. Call inside the transaction that saved the new ones.
    """
    by_post = {decision.post_id: decision for decision in decisions}
    is_open = Q(outcome__isnull=True) | Q(outcome__in=list(reverses.values()))
    unsettled = Appeal.objects.filter(is_open, post__in=by_post).select_related("decision")
    appeals = list(unsettled.select_for_update(of=("self",)).order_by("id"))
    for appeal in appeals:
        appeal.outcome = by_post[appeal.post_id]
    Appeal.objects.bulk_update(appeals, ["outcome"])
    messages.tell([_message(appeal, by_post[appeal.post_id]) for appeal in appeals])


def reopen(*, decisions: Sequence[Decision]) -> None:
    """Reopen the appeals that these undone decisions had settled."""
    Appeal.objects.filter(outcome__in=decisions).update(outcome=None)


def is_upheld(*, disputed: Decision, outcome: Decision) -> bool:
    """Tell whether the outcome says what the disputed decision said."""
    return disputed.verdict == outcome.verdict


def _message(appeal: Appeal, outcome: Decision) -> Message:
    return Message(
        event=WebhookEvent.APPEAL_DECIDED,
        platform_id=appeal.platform_id,
        data={
            "id": str(appeal.pk),
            "external_id": appeal.external_id,
            "decision_id": str(appeal.decision_id),
            "outcome_id": str(outcome.pk),
            "is_upheld": is_upheld(disputed=appeal.decision, outcome=outcome),
            "post": wire.reference(outcome.post, revision=outcome.revision.number),
        },
        at=outcome.decided_at,
        due_at=outcome.effective_at,
        post_id=appeal.post_id,
        decision_id=outcome.pk,
    )
