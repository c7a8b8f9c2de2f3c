"""Decisions: the feed for polling, and reversals."""

from __future__ import annotations

from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.idempotency import idempotent
from moderation.api.serializers.cases import ReversalRequestSerializer
from moderation.api.serializers.decisions import (
    DecisionPageSerializer,
    DecisionQuerySerializer,
    DecisionSerializer,
    decision,
    fed,
)
from moderation.api.serializers.feed_cursor import encode
from moderation.api.views.base import (
    ONCE,
    WRITE_PROBLEMS,
    ApiView,
    number_of,
    problem_responses,
    user_of,
)
from moderation.models import Decision
from moderation.models.decisions import Verdict
from moderation.models.feed import Stream
from moderation.models.platforms import Scope
from moderation.operations.cases import reversals
from moderation.operations.outbox import feed


class Decisions(ApiView):
    """GET /decisions"""

    scopes: ClassVar = {"GET": Scope.VERDICTS_READ}

    @extend_schema(
        operation_id="read_decisions",
        summary="Read decisions",
        description=(
            "Decisions in the order in which they entered the feed. Keep `next_cursor` and pass it as "
            "`cursor`, at once while `has_more`, otherwise at the next poll: nothing is skipped or repeated. "
            "Scope: `verdicts:read`."
        ),
        parameters=[DecisionQuerySerializer],
        responses={200: DecisionPageSerializer, **problem_responses("invalid_fields")},
    )
    def get(self, request: Request) -> Response:
        """Read one page."""
        asked = self.query(DecisionQuerySerializer, request)
        page = feed.read(
            platform=platform_of(request),
            stream=Stream.DECISIONS,
            since=asked.get("since"),
            cursor=asked.get("cursor"),
            limit=asked["limit"],
            at=timezone.now(),
        )
        return Response(
            {
                "data": [fed(row) for row in page.rows],
                "next_cursor": encode(page.end) if page.end else None,
                "has_more": page.has_more,
            }
        )


class Reversals(ApiView):
    """POST /decisions/{id}/reversal"""

    scopes: ClassVar = {"POST": Scope.DECISIONS_WRITE}

    @extend_schema(
        operation_id="reverse_decision",
        summary="Take a decision back",
        description=(
            "Makes a new decision that says the opposite and names this one in `reverses`; decisions are "
            "never edited. The webhook is sent at once. Scope: `decisions:write`."
        ),
        parameters=[
            ONCE,
            OpenApiParameter("id", str, OpenApiParameter.PATH, description="The decision that was wrong."),
        ],
        request=ReversalRequestSerializer,
        responses={
            201: DecisionSerializer,
            **problem_responses(
                "nobody_behind_key",
                "not_allowed",
                "not_found",
                "already_reversed",
                "same_verdict",
                "erased",
                *WRITE_PROBLEMS,
            ),
        },
    )
    @idempotent
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        """Replace a decision by the opposite one."""
        reason = self.read(ReversalRequestSerializer, request)["reason"]
        wrong = Decision.objects.filter(post__platform=platform_of(request), pk=number_of(id)).first()
        if wrong is None:
            raise Refused("not_found", "No decision has this id.")
        opposite = Verdict.NOT_SPAM if wrong.verdict == Verdict.SPAM else Verdict.SPAM
        made = reversals.correct(
            decision_id=wrong.pk,
            verdict=opposite,
            moderator=user_of(request),
            reason=reason,
            at=timezone.now(),
        )
        return Response(decision(made) | {"reverses": str(wrong.pk)}, status=status.HTTP_201_CREATED)
