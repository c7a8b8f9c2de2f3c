"""Request the reconsideration of posts, in the transaction of its cause; `reconsider` carries it out."""

from __future__ import annotations

from collections.abc import Sequence

from moderation.models import CampaignDecision, Decision, Reconsideration
from moderation.models.decisions import Verdict
from moderation.models.platforms import Reconsidering

REASON = "reconsidered"
"""The reason of automatic decisions made by a reconsideration."""


def ask_for_campaign(decision: CampaignDecision) -> None:
    """Request reconsideration of the members that the filter had allowed, if the decision says spam."""
    if decision.verdict == Verdict.SPAM:
        Reconsideration.objects.create(campaign_decision=decision, due_at=decision.effective_at)


def ask(decisions: Sequence[Decision]) -> None:
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
