"""Write decisions with all that follows in one transaction: label, action, audit entry, delivery, the
outcome of appeals and what is to be reconsidered.
"""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from moderation import prepared, tracing
from moderation.models import (
    Appeal,
    AuditEntry,
    CampaignDecision,
    Decision,
    Label,
    Reconsideration,
    Score,
    desk_settings,
)
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.platforms import Reconsidering
from moderation.models.webhooks import WebhookEvent
from moderation.operations.audit import entries
from moderation.operations.decisions import actions
from moderation.operations.infrastructure import transactions
from moderation.operations.outbox import announce, feed, messages
from moderation.operations.outbox.messages import Message
from moderation.queries import wire
from moderation.queries.decisions import statements
from scoring.evidence_model import rests_on_evidence

RECONSIDERED = "reconsidered"
"""The reason of automatic decisions made by a reconsideration."""


@transactions.required
def record(
    *,
    decisions: Sequence[Decision],
    event: str = "decision.created",
    reverses: Mapping[int, int] | None = None,
) -> list[Decision]:
    """Save new decisions with label, audit entry and delivery. Call inside a transaction, the posts locked:
    so that messages about one post keep their order.

    Their `revision`, `post`, `post.platform` and `score` are loaded. Only human decisions become labels:
    the filter must never learn from its own verdicts. `reverses` names the decision that is replaced, by the
    id of its post.
    """
    if not decisions:
        return []
    feed.put_in_order(decisions, replaced=list((reverses or {}).values()))
    prepared.save(decisions, learns_ids=True)
    saved = list(decisions)
    by_people = [decision for decision in saved if decision.decided_by_id]
    Label.objects.bulk_create([_label(decision) for decision in by_people])
    replaced = reverses or {}
    follow_ups = actions.follow(saved)
    prepared.save(
        [_audit_entry(row, reverses=replaced.get(row.post_id), follow_up=follow_ups[row.pk]) for row in saved]
    )
    told = {pk: {**follow_ups[pk], "statement": text} for pk, text in _statements(saved, follow_ups).items()}
    messages.write(decisions=saved, event=event, reverses=replaced, follow_ups={**follow_ups, **told})
    announce.complaints_decided(saved)
    for row in saved:
        tracing.span("decide", of=row.revision, began_at=row.score.scored_at, source=row.source)
    if by_people:
        reconsider_after(by_people)
        settle_appeals(decisions=by_people, reverses=replaced)
    return saved


def automatic(
    score: Score,
    *,
    verdict: str,
    reason: str,
    at: datetime,
    campaign_decision: CampaignDecision | None = None,
) -> Decision:
    """Build an automatic decision on a score, which is loaded with its `revision.post`; it makes no label."""
    return Decision(
        post=score.revision.post,
        revision=score.revision,
        score=score,
        verdict=verdict,
        source=DecisionSource.AUTOMATIC,
        reason=reason,
        decided_at=at,
        effective_at=effective_at(source=DecisionSource.AUTOMATIC, decided_at=at),
        campaign_decision=campaign_decision,
    )


def effective_at(*, source: DecisionSource, decided_at: datetime) -> datetime:
    """Return when the platform may learn of a decision: a moderator keeps the time for undoing."""
    if source == DecisionSource.AUTOMATIC:
        return decided_at
    return decided_at + timedelta(seconds=desk_settings.current().undo_seconds)


@transactions.required
def retract_label(*, post_id: int, at: datetime) -> None:
    """Retract the post's live label, if it has one. Call inside the transaction of the act that does so."""
    Label.objects.filter(post_id=post_id, retracted_at__isnull=True).update(retracted_at=at)


def _statements(
    decisions: Sequence[Decision], follow_ups: Mapping[int, Mapping[str, Any]]
) -> dict[int, dict[str, Any]]:
    """Return what to tell the authors; nothing of decisions without an action, as before there were any."""
    acting = [decision for decision in decisions if follow_ups[decision.pk].get("actions")]
    restricts = {decision: statements.restriction(decision, decision.action) for decision in acting}
    return statements.statements({decision: done for decision, done in restricts.items() if done})


def _label(decision: Decision) -> Label:
    return Label(
        decision=decision,
        post=decision.post,
        is_spam=decision.verdict == Verdict.SPAM,
        # A post that was not compared yet has no similarity group.
        similarity_group=decision.revision.similarity_group or uuid.uuid4(),
        # On the score that the person saw: what was found later was no reason.
        rests_on_evidence=decision.verdict == Verdict.SPAM and rests_on_evidence(decision.score.sub_models),
        labelled_at=decision.decided_at,
    )


def _audit_entry(decision: Decision, *, reverses: int | None, follow_up: Mapping[str, Any]) -> AuditEntry:
    return entries.entry(
        action="decision.created",
        subject_kind="decision",
        subject_id=decision.pk,
        actor=decision.decided_by,
        at=decision.decided_at,
        post=decision.post_id,
        case=decision.case_id,
        verdict=decision.verdict,
        source=decision.source,
        reason=decision.reason,
        campaign=decision.campaign_decision and decision.campaign_decision.campaign_id,
        **({"reverses": reverses} if reverses else {}),
        **follow_up,
    )


def reconsider_after_campaign(decision: CampaignDecision) -> None:
    """Request reconsideration of the members that the filter had allowed, if the decision says spam."""
    if decision.verdict == Verdict.SPAM:
        Reconsideration.objects.create(campaign_decision=decision, due_at=decision.effective_at)


def reconsider_after(decisions: Sequence[Decision]) -> None:
    """Request reconsideration of posts similar to those of human spam decisions, one for each decision.

    The decisions are loaded with `post.platform`.
    """
    Reconsideration.objects.bulk_create(
        [
            Reconsideration(decision=decision, due_at=decision.effective_at)
            for decision in decisions
            if decision.verdict == Verdict.SPAM
            and decision.campaign_decision_id is None
            and decision.post.platform.reconsiders != Reconsidering.NOTHING
        ]
    )


@transactions.required
def settle_appeals(*, decisions: Sequence[Decision], reverses: Mapping[int, int]) -> None:
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


def reopen_appeals(*, decisions: Sequence[Decision]) -> None:
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
