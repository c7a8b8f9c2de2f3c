"""The queue and its reviewers in numbers."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of
from moderation.api.serializers.activity import (
    SPANS,
    QueueSerializer,
    ReviewersQuerySerializer,
    ReviewersSerializer,
)
from moderation.api.views.base import ApiView, problem_responses, user_of
from moderation.models.platforms import Scope
from moderation.queries.cases import platform_queue


class QueueFigures(ApiView):
    """GET /metrics/queue"""

    scopes: ClassVar = {"GET": Scope.CASES_READ}

    @extend_schema(
        operation_id="read_queue_figures",
        summary="Read how long the queue is",
        description="Your cases that wait, and those of the last day. Scope: `cases:read`.",
        responses={200: QueueSerializer, **problem_responses()},
    )
    def get(self, request: Request) -> Response:
        found = platform_queue.queue(platform=platform_of(request), at=timezone.now())
        return Response(QueueSerializer(found).data)


class ReviewerFigures(ApiView):
    """GET /metrics/reviewers"""

    scopes: ClassVar = {"GET": Scope.CASES_READ}

    @extend_schema(
        operation_id="read_reviewer_figures",
        summary="Read how many decisions people made",
        description=(
            "On your posts, in the order of names. Needs a key that acts for a person: a lead reads "
            "everybody's, others their own. Scope: `cases:read`."
        ),
        parameters=[ReviewersQuerySerializer],
        responses={200: ReviewersSerializer, **problem_responses("nobody_behind_key", "invalid_fields")},
    )
    def get(self, request: Request) -> Response:
        """Read the last days."""
        person = user_of(request)
        asked = self.query(ReviewersQuerySerializer, request)
        until = timezone.now()
        since = until - timedelta(days=SPANS[asked["span"]])
        found = platform_queue.reviewers(
            platform=platform_of(request),
            since=since,
            until=until,
            only=None if person.may_lead else person,
        )
        return Response(ReviewersSerializer({"since": since, "until": until, "data": found}).data)
