"""Random posts to be labelled: request a draw, read its progress, cancel the rest."""

from __future__ import annotations

from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.idempotency import idempotent
from moderation.api.serializers.label_draws import DrawRequestSerializer, DrawSerializer
from moderation.api.views.base import (
    ONCE,
    WRITE_PROBLEMS,
    ApiView,
    location_header,
    number_of,
    problem_responses,
    user_of,
)
from moderation.models.platforms import Scope
from moderation.operations.labels import draws
from moderation.queries.labels import label_balance
from moderation.queries.labels.label_balance import DrawRow

_DRAW_ID = OpenApiParameter("id", str, OpenApiParameter.PATH, description="The draw.")


class LabelDraws(ApiView):
    """POST /label-draws"""

    scopes: ClassVar = {"POST": Scope.LABELS_EXPORT}

    @extend_schema(
        operation_id="draw_posts",
        summary="Have random posts labelled",
        description=(
            "Draws posts uniformly from those of the last days that nobody labelled, whatever the filter did "
            "with them, and puts them into the queue. Needs a key that acts for a lead or an ML engineer. "
            "Scope: `labels:export`."
        ),
        parameters=[ONCE, location_header(201)],
        request=DrawRequestSerializer,
        responses={
            201: DrawSerializer,
            **problem_responses(
                "nobody_behind_key", "not_allowed", "nothing_to_draw", "too_many_drawn", *WRITE_PROBLEMS
            ),
        },
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Draw random posts into the queue."""
        given = self.read(DrawRequestSerializer, request)
        made = draws.ask(
            platform=platform_of(request),
            posts=given["posts"],
            days=given["days"],
            asked_by=user_of(request),
            at=timezone.now(),
        )
        headers = {"Location": reverse("api:label-draw", args=[str(made.pk)])}
        row = _own_draw(request, str(made.pk))
        return Response(DrawSerializer(row).data, status=status.HTTP_201_CREATED, headers=headers)


class OneLabelDraw(ApiView):
    """GET, DELETE /label-draws/{id}"""

    scopes: ClassVar = {"GET": Scope.LABELS_EXPORT, "DELETE": Scope.LABELS_EXPORT}

    @extend_schema(
        operation_id="read_draw",
        summary="Read how far a draw is labelled",
        description="Scope: `labels:export`.",
        parameters=[_DRAW_ID],
        responses={200: DrawSerializer, **problem_responses("not_found")},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        """Read a draw with its progress."""
        return Response(DrawSerializer(_own_draw(request, id)).data)

    @extend_schema(
        operation_id="cancel_draw",
        summary="Cancel what is left of a draw",
        description=(
            "The posts decided so far remain a random sample, of fewer posts. Scope: `labels:export`."
        ),
        parameters=[_DRAW_ID],
        responses={204: None, **problem_responses("nobody_behind_key", "not_allowed", "not_found")},
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        """Cancel a draw: its undecided posts leave the queue."""
        row = _own_draw(request, id)
        try:
            draws.cancel(draw_id=row.draw.pk, cancelled_by=user_of(request), at=timezone.now())
        except draws.AlreadyCancelled as refused:
            raise Refused("not_found", str(refused)) from None
        return Response(status=status.HTTP_204_NO_CONTENT)


def _own_draw(request: Request, identifier: str) -> DrawRow:
    row = label_balance.draw(platform_id=platform_of(request).pk, draw_id=number_of(identifier))
    if row is None:
        raise Refused("not_found", "No draw has this id.")
    return row
