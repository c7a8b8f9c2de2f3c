"""What becomes of a post that joins a campaign after people have decided it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from moderation.models import CampaignDecision, CampaignMember, Score, desk_settings
from moderation.models.campaigns import TieKind
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from moderation.models.scores import RouteChoice
from moderation.queries.campaigns import purity

REASON = "campaign"
"""The reason of automatic decisions that follow a campaign's."""

_LOOSE = {TieKind.MEANING, TieKind.NETWORK, TieKind.AUTHOR}
_SAYS = {RouteChoice.ALLOW.value: Verdict.NOT_SPAM, RouteChoice.REMOVE.value: Verdict.SPAM}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """Ask a human for this `reason`, or decide as the campaign was decided."""

    reason: CaseReason | None = None
    decision: CampaignDecision | None = None


def rulings(*, scores: Sequence[Score], at: datetime) -> dict[int, Ruling]:
    """Return the ruling of each freshly scored post that a decided campaign has one for, by post.

    A share of the new members is drawn as a sample that a human judges alone. The others are decided with the
    campaign while the samples show it to be pure, and are routed as usual while they do not, or if they share
    neither text, link nor picture. If the filter is sure of the opposite, a human decides. A rule takes
    precedence over a campaign's decision.
    """
    by_post = {score.revision.post_id: score for score in scores if not (score.ban_id or score.is_allowed)}
    members = CampaignMember.objects.filter(post__in=by_post, left_out_at__isnull=True)
    decisions = purity.standing(campaigns=members.values("campaign"), at=at)
    rows = members.values_list("post_id", "campaign_id", "ties") if decisions else ()
    is_open = {pk: purity.purity(decision).is_enough for pk, decision in decisions.items()}
    candidates = {
        post: _ruling(by_post[post], decisions[campaign], is_open=is_open[campaign] and not {*ties} <= _LOOSE)
        for post, campaign, ties in rows
        if campaign in decisions
    }
    return {post: ruling for post, ruling in candidates.items() if ruling is not None}


def _ruling(score: Score, decision: CampaignDecision, *, is_open: bool) -> Ruling | None:
    is_unproven = score.route_reason == CaseReason.UNPROVEN
    verdict = Verdict.SPAM if is_unproven else _SAYS.get(score.route)
    # A post drawn at random stands for others: what a person makes of it must not depend on its campaign.
    is_drawn = score.is_audit_sample or score.is_review_sample
    if (verdict == decision.verdict and not is_unproven) or is_drawn or score.is_degraded:
        return None
    if _draw(score, decision) < desk_settings.current().campaign_check_percent / 100:
        return Ruling(reason=CaseReason.CAMPAIGN)
    if verdict not in (None, decision.verdict):
        return Ruling(reason=CaseReason.CONFLICT)
    return Ruling(decision=decision) if is_open else None


def _draw(score: Score, decision: CampaignDecision) -> float:
    """Return a uniform number in [0, 1), the same whenever this post is scored again."""
    name = f"{decision.pk}:{score.revision.post_id}".encode()
    # 48 bits, which a float holds exactly; 64 would be rounded, at the top to 1.0.
    return int.from_bytes(hashlib.blake2b(name, digest_size=6).digest(), "big") / 2**48
