"""Statements of reasons for removed posts."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.serializers.statements import StatementSerializer, statement
from moderation.api.views.base import ApiView, number_of, operation
from moderation.models import Decision
from moderation.models.platforms import Scope
from moderation.queries.decisions import platform_decisions


class Statements(ApiView):
    """GET /decisions/{id}/statement-of-reasons"""

    @operation(
        "read_statement",
        "Read the statement of reasons",
        (
            "Of a decision that says spam and took effect, in the field names of the DSA transparency "
            "database; add `territorial_scope` and `url`."
        ),
        scope=Scope.VERDICTS_READ,
        parameters=[OpenApiParameter("id", str, OpenApiParameter.PATH, description="The decision.")],
        answers={200: StatementSerializer},
        refuses=("not_found",),
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        try:
            row = platform_decisions.removal(
                platform=platform_of(request), decision_id=number_of(id), at=timezone.now()
            )
        except Decision.DoesNotExist:
            raise Refused("not_found", "No decision of yours that took a post down has this id.") from None
        return Response(statement(row, grounds=platform_decisions.grounds(row)))
