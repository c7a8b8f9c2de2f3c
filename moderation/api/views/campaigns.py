"""Campaigns: list them, list their members, decide one at once."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of, user_of
from moderation.api.errors import Refused
from moderation.api.serializers import campaigns as formats
from moderation.api.serializers.cursors import IdPageQuerySerializer
from moderation.api.serializers.fields import field_refusal
from moderation.api.views.base import PERSON_PROBLEMS, ApiView, in_path, known, number_of, operation
from moderation.models import Campaign
from moderation.models.decisions import Verdict
from moderation.models.platforms import Scope
from moderation.operations.campaigns import campaign_decisions
from moderation.operations.campaigns.campaign_decisions import CountMoved, Wanted
from moderation.queries.campaigns import platform_campaigns
from moderation.queries.campaigns.platform_campaigns import OwnCampaign

_CAMPAIGN_ID = in_path("id", "The campaign.")


class Campaigns(ApiView):
    @operation(
        "read_campaigns",
        "Read campaigns",
        "Groups of posts that resemble one another, the newest first.",
        scope=Scope.CASES_READ,
        parameters=[IdPageQuerySerializer],
        answers={200: formats.CampaignPageSerializer},
    )
    def get(self, request: Request) -> Response:
        asked = self.query(IdPageQuerySerializer, request)
        found = platform_campaigns.page(platform=platform_of(request), **asked)
        return Response(formats.CampaignPageSerializer(found).data)


class CampaignMembers(ApiView):
    @operation(
        "read_members",
        "Read a campaign's posts",
        "Yours, in the order of their arrival.",
        scope=Scope.CASES_READ,
        parameters=[_CAMPAIGN_ID, IdPageQuerySerializer],
        answers={200: formats.MemberPageSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        asked, own = self.query(IdPageQuerySerializer, request), _own_campaign(request, id)
        found = platform_campaigns.members(
            platform=platform_of(request), campaign_id=own.campaign_id, **asked
        )
        return Response(formats.MemberPageSerializer(found).data)


class CampaignDecisions(ApiView):
    @operation(
        "decide_campaign",
        "Decide a campaign",
        (
            "Decides every waiting post, each with a decision of its own; either all or none. If their "
            "number is no longer `expected_count`, nothing is decided and `found` says what it is now."
        ),
        scope=Scope.DECISIONS_WRITE,
        parameters=[_CAMPAIGN_ID],
        takes=formats.CampaignDecisionRequestSerializer,
        answers={201: formats.CampaignDecisionSerializer},
        refuses=(*PERSON_PROBLEMS, "shared_campaign", "still_running", "nothing_to_decide", "count_moved"),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        own, given = _own_campaign(request, id), self.read(formats.CampaignDecisionRequestSerializer, request)
        wanted = Wanted(
            verdict=Verdict(given["verdict"]),
            expected_count=given["expected_count"],
            # The desk asks for the number a second time; a client that sends it has counted.
            confirmed_count=given["expected_count"],
            has_filtered=given.get("has_filtered", False),
            reason=given.get("reason", ""),
            note=given.get("note", ""),
        )
        try:
            made = campaign_decisions.decide_for_platform(
                platform=platform_of(request),
                campaign_id=own.campaign_id,
                wanted=wanted,
                excluded=[number_of(post) for post in given.get("exclude", ())],
                seen=[number_of(post) for post in given.get("sample_seen", ())],
                moderator=user_of(request),
                at=timezone.now(),
            )
        except CountMoved as moved:
            raise Refused("count_moved", str(moved), expected=moved.expected, found=moved.found) from None
        except campaign_decisions.NoMember as stranger:
            detail = f"Post {stranger} is not in this campaign."
            raise field_refusal("exclude", detail, code="not_a_member") from None
        return Response(formats.CampaignDecisionSerializer(made).data, status=201)


def _own_campaign(request: Request, identifier: str) -> OwnCampaign:
    with known(Campaign, "No campaign with posts of yours has this id."):
        return platform_campaigns.one(platform=platform_of(request), campaign_id=number_of(identifier))
