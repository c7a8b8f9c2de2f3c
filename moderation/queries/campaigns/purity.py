"""The purity of a decided campaign: human decisions on members that were judged individually."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from moderation.models import CampaignDecision, Decision, desk_settings
from moderation.models.campaigns import CampaignDecisionState
from moderation.models.decisions import DecisionSource
from moderation.queries import outcome_counts

LATEST = 100
"""Number of latest individual decisions that count, so that a change in a campaign shows soon."""

_Z = 1.644854  # one-sided 95 %


@dataclass(frozen=True, slots=True, kw_only=True)
class Purity:
    """Counts of individually judged members, and of those judged like the campaign."""

    agreeing: int
    judged: int

    @property
    def lower_bound(self) -> float:
        """Wilson's lower bound of the share (Wilson 1927), one-sided 95 %; 0 if nothing was judged."""
        return outcome_counts.interval(self.agreeing, of=self.judged, z=_Z)[0]

    @property
    def is_enough(self) -> bool:
        """Whether new members may be decided with the campaign."""
        return self.lower_bound >= desk_settings.current().campaign_purity_percent / 100


def standing(*, campaigns: Sequence[int] | QuerySet[Any, Any], at: datetime) -> dict[int, CampaignDecision]:
    """Return the decision in force of each campaign, by its id: completed, sent, and not reversed."""
    rows = CampaignDecision.objects.filter(
        campaign__in=campaigns,
        state=CampaignDecisionState.DONE,
        effective_at__lte=at,
        corrects__isnull=True,
        correction__isnull=True,
    )
    latest = rows.order_by("campaign_id", "-decided_at", "-id").distinct("campaign_id")
    return {decision.campaign_id: decision for decision in latest.defer("member_ids")}


def purity(decision: CampaignDecision) -> Purity:
    """Return the purity by the latest individual human decisions on members, including those left out."""
    alone = Decision.objects.filter(
        post__membership__campaign=decision.campaign_id,
        source=DecisionSource.MODERATOR,
        campaign_decision__isnull=True,
        reversal__isnull=True,
    )
    verdicts = list(alone.order_by("-decided_at", "-id").values_list("verdict", flat=True)[:LATEST])
    return Purity(agreeing=verdicts.count(decision.verdict), judged=len(verdicts))
