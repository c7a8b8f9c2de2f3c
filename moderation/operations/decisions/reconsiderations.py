"""Ask for posts to be reconsidered, in the transaction of their cause; `reconsider` does it."""

from __future__ import annotations

from collections.abc import Sequence

from moderation.models import CampaignDecision, Decision, Reconsideration
from moderation.models.cases import Verdict
from moderation.models.platforms import Reconsidering

REASON = "reconsidered"
"""The reason that automatic decisions give which one of these makes."""


def ask_for_campaign(decision: CampaignDecision) -> None:
    """Have the members reconsidered that a decision leaves as the filter allowed them, if it says spam."""
    if decision.verdict == Verdict.SPAM:
        Reconsideration.objects.create(campaign_decision=decision, due_at=decision.effective_at)


def ask(decisions: Sequence[Decision]) -> None:
    """Have posts like these reconsidered, of decisions by people that say spam, each for itself.

    They are loaded with `post.platform`.
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
