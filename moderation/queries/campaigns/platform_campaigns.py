"""Campaigns for platforms: of a campaign across platforms only its own posts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q

from moderation.models import Campaign, CampaignMember, Platform
from moderation.models.cases import BLIND_REASONS, CaseReason, CaseState
from moderation.queries import keyset
from moderation.queries.campaigns.campaign_members import placed
from moderation.queries.keyset import Key, Page

_TOGETHER = [reason for reason in CaseReason.values if reason not in BLIND_REASONS]
"""Cases with these reasons are decided with their campaign; others are judged alone."""
_SHOWN = ("campaign", "likeness", "ties", "joined_at", "post__external_id", "revision__number")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCampaign:
    """A campaign with the number of the platform's posts in it, and how many a decision would settle.

    Escalated ones are settled only by a lead.
    """

    campaign_id: int
    posts: int
    waiting: int
    escalated: int
    is_shared: bool
    opened_at: datetime
    latest_at: datetime


def page(*, platform: Platform, after: Key | None = None, limit: int) -> Page[OwnCampaign]:
    """Return campaigns that hold posts of the platform, the newest first."""
    own = CampaignMember.objects.filter(campaign=OuterRef("pk"), post__platform=platform)
    rows = Campaign.objects.filter(Exists(own), posts__gte=2)
    page = keyset.page(rows, order=("-pk",), after=after, limit=limit)
    return page.of(lambda campaigns: _counted(campaigns, platform=platform))


def one(*, platform: Platform, campaign_id: int) -> OwnCampaign:
    """Return a campaign that has posts of the platform. Raises Campaign.DoesNotExist."""
    own = CampaignMember.objects.filter(campaign=OuterRef("pk"), post__platform=platform)
    return _counted([Campaign.objects.get(Exists(own), pk=campaign_id)], platform=platform)[0]


def members(
    *, platform: Platform, campaign_id: int, after: Key | None = None, limit: int
) -> Page[CampaignMember]:
    """Return the platform's members with their `place`, in the order in which they joined."""
    own = placed(CampaignMember.objects.filter(campaign=campaign_id, post__platform=platform))
    rows = own.select_related("post", "revision").only(*_SHOWN)
    return keyset.page(rows, order=("pk",), after=after, limit=limit)


def is_shared(*, platform: Platform, campaign_id: int) -> bool:
    """Return whether a campaign also holds posts of other platforms."""
    return CampaignMember.objects.filter(campaign=campaign_id).exclude(post__platform=platform).exists()


def _counted(rows: Iterable[Campaign], *, platform: Platform) -> list[OwnCampaign]:
    campaigns = list(rows)
    together = Q(
        left_out_at__isnull=True, post__cases__state=CaseState.OPEN, post__cases__reason__in=_TOGETHER
    )
    counted = (
        CampaignMember.objects.filter(campaign__in=campaigns, post__platform=platform)
        .order_by()
        .values("campaign")
        .annotate(
            posts=Count("pk", distinct=True),
            waiting=Count("pk", distinct=True, filter=together & Q(post__cases__is_escalated=False)),
            escalated=Count("pk", distinct=True, filter=together & Q(post__cases__is_escalated=True)),
        )
    )
    counts = {row["campaign"]: row for row in counted}
    return [
        OwnCampaign(
            campaign_id=row.pk,
            posts=counts[row.pk]["posts"],
            waiting=counts[row.pk]["waiting"],
            escalated=counts[row.pk]["escalated"],
            is_shared=row.posts > counts[row.pk]["posts"],
            opened_at=row.opened_at,
            latest_at=row.latest_at,
        )
        for row in campaigns
    ]
