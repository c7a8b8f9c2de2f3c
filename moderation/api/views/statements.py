"""Statements of reasons for removed posts."""

from __future__ import annotations

from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.serializers.statements import StatementSerializer, statement
from moderation.api.views.base import ApiView, number_of, problem_responses
from moderation.models import Decision
from moderation.models.platforms import Scope
from moderation.queries.decisions import platform_decisions


class Statements(ApiView):
    """GET /decisions/{id}/statement-of-reasons"""

    scopes: ClassVar = {"GET": Scope.VERDICTS_READ}

    @extend_schema(
        operation_id="read_statement",
        summary="Read the statement of reasons",
        description=(
            "Of a decision that says spam and took effect, in the field names of the DSA transparency "
            "database; add `territorial_scope` and `url`. Scope: `verdicts:read`."
        ),
        parameters=[OpenApiParameter("id", str, OpenApiParameter.PATH, description="The decision.")],
        responses={200: StatementSerializer, **problem_responses("not_found")},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        try:
            row = platform_decisions.removal(
                platform=platform_of(request), decision_id=number_of(id), at=timezone.now()
            )
        except Decision.DoesNotExist:
            raise Refused("not_found", "No decision of yours that took a post down has this id.") from None
        return Response(statement(row, grounds=platform_decisions.grounds(row)))
