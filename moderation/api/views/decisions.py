"""Decisions: what the platform is to do, read by polling."""

from __future__ import annotations

from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of
from moderation.api.serializers.cursor import encode
from moderation.api.serializers.decisions import DecisionPageSerializer, DecisionQuerySerializer, decision
from moderation.api.views.base import DoorView, problem_responses
from moderation.models.platforms import Scope
from moderation.queries import decisions


class Decisions(DoorView):
    """GET /decisions"""

    scopes: ClassVar = {"GET": Scope.VERDICTS_READ}

    @extend_schema(
        operation_id="read_decisions",
        summary="Read decisions",
        description=(
            "Decisions in the order in which they took effect. Keep `next_cursor` and ask with it again, at "
            "once while `has_more`, else at the next poll: nothing is skipped or told twice. "
            "Scope: `verdicts:read`."
        ),
        parameters=[DecisionQuerySerializer],
        responses={200: DecisionPageSerializer, **problem_responses("invalid_fields")},
    )
    def get(self, request: Request) -> Response:
        """Read one page."""
        query = DecisionQuerySerializer(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        page = decisions.since(
            platform=platform_of(request),
            since=asked.get("since"),
            cursor=asked.get("cursor"),
            limit=asked["limit"],
            at=timezone.now(),
        )
        return Response(
            {
                "data": [decision(row) for row in page.rows],
                "next_cursor": encode(page.end) if page.end else None,
                "has_more": page.has_more,
            }
        )
