"""Campaigns, their members, and decisions on them."""

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer, page_of
from moderation.api.serializers.decisions import PostReferenceSerializer
from moderation.api.serializers.fields import (
    FlagField,
    OneOfField,
    TextField,
    TextListField,
    WholeNumberField,
)
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models import CampaignMember
from moderation.models.campaigns import CampaignDecisionState, TieKind
from moderation.models.decisions import Verdict
from moderation.queries.campaigns.campaign_members import Place

_MAX_NAMED = 1_000


class CampaignSerializer(AnswerSerializer):
    """Similar posts; the counts include your posts only."""

    id = serializers.CharField(source="campaign_id")
    posts = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="Those that a decision settles.")
    escalated = serializers.IntegerField(help_text="Posts that a decision also settles if a lead makes it.")
    is_shared = serializers.BooleanField(help_text="True if it holds posts of other platforms, too.")
    opened_at = serializers.DateTimeField()
    latest_at = serializers.DateTimeField(help_text="When the newest post joined.")


CampaignPageSerializer = page_of(CampaignSerializer, "Campaigns, the newest first.")


class MemberSerializer(AnswerSerializer):
    """A post of yours in a campaign."""

    post = PostReferenceSerializer()
    place = serializers.ChoiceField(
        choices=[place.value for place in Place],
        help_text=(
            "waiting and escalated wait for a human; blind waits for one who judges it alone; spam and "
            "not_spam a human decided; removed and allowed the filter decided; pending is not scored; "
            "left_out is no part of decisions on the campaign."
        ),
    )
    likeness = serializers.FloatField(help_text="Share of the text that the first post has, too; 0 to 1.")
    ties = serializers.ListField(child=serializers.ChoiceField(choices=TieKind.values))
    joined_at = serializers.DateTimeField()

    def read_post(self, row: CampaignMember) -> dict[str, Any]:
        return {"id": str(row.post_id), "external_id": row.post.external_id, "revision": row.revision.number}


MemberPageSerializer = page_of(MemberSerializer, "Members in the order in which they joined.")


class PostIdListField(TextListField):
    """Our ids of posts."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_items=_MAX_NAMED, max_length=20, **OPTIONAL, **kwargs)


class CampaignDecisionRequestSerializer(StrictSerializer):
    """One verdict on all waiting posts of the campaign."""

    verdict = OneOfField(choices=Verdict.values)
    expected_count = WholeNumberField(
        min_value=1, help_text="How many posts it is to decide, without the excluded ones."
    )
    sample_seen = PostIdListField(help_text="The posts that were looked at.")
    exclude = PostIdListField(help_text="Posts that are left out; they keep waiting.")
    has_filtered = FlagField(
        **OPTIONAL, help_text="Whether to decide also the posts that the filter decided the other way."
    )
    reason = TextField(max_length=40, allow_blank=True, **OPTIONAL)
    note = TextField(max_length=2_000, allow_blank=True, **OPTIONAL)


class CampaignDecisionSerializer(AnswerSerializer):
    """A decision on a campaign; each post also has its own decision."""

    id = serializers.CharField()
    campaign_id = serializers.CharField()
    verdict = serializers.ChoiceField(choices=Verdict.values)
    posts = serializers.IntegerField()
    state = serializers.ChoiceField(
        choices=CampaignDecisionState.values, help_text="Large campaigns are carried out in the background."
    )
    decided_at = serializers.DateTimeField()
    effective_at = serializers.DateTimeField(help_text="Until then it can be undone on the desk.")
