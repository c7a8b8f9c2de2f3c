"""Complaints: a user reports a post."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of
from moderation.api.serializers.complaints import ComplaintAnswerSerializer, ComplaintSerializer, incoming
from moderation.api.views.base import ApiView, operation
from moderation.models.platforms import Scope
from moderation.operations.infrastructure import limits
from moderation.operations.infrastructure.limits import Bucket
from moderation.operations.posts import complaints


class Complaints(ApiView):
    """POST /complaints"""

    @operation(
        "send_complaint",
        "Send a complaint",
        (
            "Stores a user's report of a post, once per reporter and post; a repetition changes nothing. The "
            "post may still be unknown: the complaint is attached when it arrives."
        ),
        scope=Scope.COMPLAINTS_WRITE,
        takes=ComplaintSerializer,
        answers={202: OpenApiResponse(ComplaintAnswerSerializer, description="Stored")},
        refuses=("erased",),
    )
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
