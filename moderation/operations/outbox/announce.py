"""Queue webhook events other than decisions, for endpoints that subscribe to them by name.

Each is called inside the transaction of its cause; `messages` writes the rows and `webhooks.send` sends them.
"""

from collections.abc import Sequence
from datetime import datetime

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Min

from moderation.models import CampaignDecision, Case, Complaint, Decision, Export, Promotion, Rule, Score
from moderation.models.rules import WORDS
from moderation.models.webhooks import WebhookEvent
from moderation.operations.outbox import messages
from moderation.operations.outbox.messages import Message
from moderation.queries import wire


def scored(scores: Sequence[Score], *, at: datetime) -> None:
    """Queue `post.scored`. The scores are loaded with `revision.post`."""
    messages.tell(
        [
            Message(
                event=WebhookEvent.POST_SCORED,
                platform_id=score.revision.post.platform_id,
                data={
                    "post": wire.reference(score.revision.post, revision=score.revision.number),
                    "spam_probability": round(score.spam_probability, 6),
                    "route": score.route,
                    "is_degraded": score.is_degraded,
                    "release": score.release_id,
                },
                at=at,
                post_id=score.revision.post_id,
            )
            for score in scores
        ]
    )


def opened(cases: Sequence[Case], *, at: datetime) -> None:
    """Queue `case.opened`. The cases are loaded with `post` and `score.revision`."""
    messages.tell(
        [
            Message(
                event=WebhookEvent.CASE_OPENED,
                platform_id=case.post.platform_id,
                data={
                    "id": str(case.pk),
                    "version": case.version,
                    "reason": case.reason,
                    "post": wire.reference(case.post, revision=case.score.revision.number),
                },
                at=at,
                post_id=case.post_id,
            )
            for case in cases
        ]
    )


def complaints_decided(decisions: Sequence[Decision]) -> None:
    """Queue `complaint.decided`, one message per decision; they are loaded with `post` and `revision`."""
    if not messages.is_asked_for(WebhookEvent.COMPLAINT_DECIDED):
        return
    complaints = Complaint.objects.filter(post__in=[decision.post_id for decision in decisions])
    ids = dict(complaints.order_by().values_list("post").annotate(ids=ArrayAgg("pk", order_by="pk")))
    messages.tell(
        [
            Message(
                event=WebhookEvent.COMPLAINT_DECIDED,
                platform_id=decision.post.platform_id,
                data={
                    "complaints": [str(pk) for pk in ids[decision.post_id][:10_000]],  # 100 kB at most
                    "decision_id": str(decision.pk),
                    "verdict": decision.verdict,
                    "post": wire.reference(decision.post, revision=decision.revision.number),
                },
                at=decision.decided_at,
                due_at=decision.effective_at,
                post_id=decision.post_id,
                decision_id=decision.pk,
            )
            for decision in decisions
            if decision.post_id in ids
        ]
    )


def campaign_decided(decision: CampaignDecision) -> None:
    """Queue `campaign.decided` for each platform, with the number of its posts that were decided.

    It is attached to the first of the platform's decisions, so that undoing the campaign cancels it, too.
    """
    if not messages.is_asked_for(WebhookEvent.CAMPAIGN_DECIDED):
        return
    decisions = Decision.objects.filter(campaign_decision=decision).order_by().values_list("post__platform")
    messages.tell(
        [
            Message(
                event=WebhookEvent.CAMPAIGN_DECIDED,
                platform_id=platform_id,
                data={
                    "id": str(decision.pk),
                    "campaign_id": str(decision.campaign_id),
                    "verdict": decision.verdict,
                    "posts": posts,
                    "corrects": str(decision.corrects_id) if decision.corrects_id else None,
                },
                at=decision.decided_at,
                due_at=decision.effective_at,
                decision_id=first_id,
            )
            for platform_id, posts, first_id in decisions.annotate(posts=Count("pk"), first=Min("pk"))
        ]
    )


def export_ready(row: Export, *, at: datetime) -> None:
    """Queue `export.ready` for the platform that requested it.

    An export of the whole installation has no platform.
    """
    if row.platform_id is not None:
        data = {"id": str(row.pk), "rows": row.rows_written, "sha256": (row.manifest or {}).get("sha256", "")}
        messages.tell(
            [Message(event=WebhookEvent.EXPORT_READY, platform_id=row.platform_id, data=data, at=at)]
        )


def rule_activated(rule: Rule, *, at: datetime) -> None:
    """Queue `rule.activated` for every platform; a rule about an author only for the author's platform."""
    author = rule.author
    data = {
        "id": str(rule.pk),
        "effect": rule.effect,
        "kind": rule.kind,
        "value": _named(rule),
        "expires_at": wire.instant(rule.expires_at) if rule.expires_at else None,
    }
    platform_id = author.platform_id if author else None
    messages.tell([Message(event=WebhookEvent.RULE_ACTIVATED, platform_id=platform_id, data=data, at=at)])


def _named(rule: Rule) -> str:
    """Return a rule's value; none of what may name a person, since messages are kept."""
    if rule.author:
        return rule.author.external_id or ""
    return "" if rule.kind in WORDS else rule.value


def model_promoted(promotion: Promotion) -> None:
    """Queue `model.promoted` for every platform, also after a rollback."""
    data = {
        "release": promotion.release_id,
        "replaces": promotion.replaced_id,
        "kind": promotion.kind,
    }
    messages.tell([Message(event=WebhookEvent.MODEL_PROMOTED, platform_id=None, data=data, at=promotion.at)])
