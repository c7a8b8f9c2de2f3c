"""Decide a campaign through the platform API: only one whose posts are all that platform's own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import Campaign, CampaignDecision, CampaignMember, Platform, User
from moderation.operations.audit import entries
from moderation.operations.campaigns import campaign_decisions
from moderation.operations.campaigns.campaign_decisions import Wanted
from moderation.operations.refusals import Refusal
from moderation.queries.campaigns import platform_campaigns


class SharedCampaign(Refusal):
    """The campaign holds posts of other platforms, which this platform's key must not decide."""


class NoMember(Exception):
    """A post that was named is not in the campaign; the message has its id."""


def decide(
    *,
    platform: Platform,
    campaign_id: int,
    wanted: Wanted,
    excluded: Sequence[int],
    seen: Sequence[int],
    moderator: User,
    at: datetime,
) -> CampaignDecision:
    """Leave out the excluded posts, then decide all others that wait; all of it or nothing.

    `seen` are the posts that were looked at, for the audit log. Raises Campaign.DoesNotExist, SharedCampaign,
    NoMember, and what `campaign.decide` raises.
    """
    with transaction.atomic():
        # Posts join under the same lock, so no post of another platform can join between check and decision.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id, merged_into__isnull=True)
        if platform_campaigns.is_shared(platform=platform, campaign_id=campaign_id):
            raise SharedCampaign(_("This campaign contains posts from other platforms."))
        _refuse_strangers(campaign_id, [*excluded, *seen])
        for post_id in excluded:
            campaign_decisions.leave_out(
                campaign_id=campaign_id, post_id=post_id, is_left_out=True, moderator=moderator, at=at
            )
        decision = campaign_decisions.decide(
            campaign_id=campaign_id, wanted=wanted, moderator=moderator, at=at
        )
        entries.add(
            action="campaign.seen",
            subject_kind="campaign",
            subject_id=campaign_id,
            actor=moderator,
            at=at,
            decision=decision.pk,
            posts=list(seen),
        )
    return decision


def _refuse_strangers(campaign_id: int, post_ids: Sequence[int]) -> None:
    members = CampaignMember.objects.filter(campaign=campaign_id, post__in=post_ids)
    member_ids = set(members.values_list("post_id", flat=True))
    for post_id in post_ids:
        if post_id not in member_ids:
            raise NoMember(str(post_id))
