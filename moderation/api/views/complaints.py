"""Complaints: a user reports a post."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of
from moderation.api.idempotency import idempotent
from moderation.api.serializers.complaints import ComplaintAnswerSerializer, ComplaintSerializer, incoming
from moderation.api.views.base import ONCE, WRITE_PROBLEMS, ApiView, problem_responses
from moderation.models.platforms import Scope
from moderation.operations.infrastructure import limits
from moderation.operations.infrastructure.limits import Bucket
from moderation.operations.posts import complaints


class Complaints(ApiView):
    """POST /complaints"""

    scopes: ClassVar = {"POST": Scope.COMPLAINTS_WRITE}

    @extend_schema(
        operation_id="send_complaint",
        summary="Send a complaint",
        description=(
            "Stores a user's report of a post, once per reporter and post; a repetition changes nothing. The "
            "post may still be unknown: the complaint is attached when it arrives. Scope: "
            "`complaints:write`."
        ),
        parameters=[ONCE],
        request=ComplaintSerializer,
        responses={
            202: OpenApiResponse(ComplaintAnswerSerializer, description="Stored"),
            **problem_responses("erased", *WRITE_PROBLEMS),
        },
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Store a complaint; a reporter counts once per post."""
        complaint = incoming(self.read(ComplaintSerializer, request))
        platform, at = platform_of(request), timezone.now()
        # An account that reports thousands of posts must not cause thousands of scorings.
        limits.take(bucket=_per_reporter(), owner=f"{platform.pk}:{complaint.reporter}", at=at)
        row = complaints.record(platform=platform, complaint=complaint, at=at)
        return Response(ComplaintAnswerSerializer(row).data, status=status.HTTP_202_ACCEPTED)


def _per_reporter() -> Bucket:
    return Bucket(
        name="complaints",
        per_minute=settings.COMPLAINTS_PER_REPORTER_PER_MINUTE,
        burst=settings.COMPLAINTS_PER_REPORTER_BURST,
    )
