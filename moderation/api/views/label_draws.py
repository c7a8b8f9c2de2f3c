"""Random posts to be labelled: request a draw, read its progress, cancel the rest."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from moderation.api.authentication import platform_of, user_of
from moderation.api.errors import Refused
from moderation.api.serializers.label_draws import DrawRequestSerializer, DrawSerializer
from moderation.api.views.base import ApiView, location_header, number_of, operation
from moderation.models.platforms import Scope
from moderation.operations.labels import draws
from moderation.queries.labels import label_balance
from moderation.queries.labels.label_balance import DrawRow

_DRAW_ID = OpenApiParameter("id", str, OpenApiParameter.PATH, description="The draw.")


class LabelDraws(ApiView):
    """POST /label-draws"""

    @operation(
        "draw_posts",
        "Have random posts labelled",
        (
            "Draws posts uniformly from those of the last days that nobody labelled, whatever the filter did "
            "with them, and puts them into the queue. Needs a key that acts for a lead or an ML engineer."
        ),
        scope=Scope.LABELS_EXPORT,
        parameters=[location_header(201)],
        takes=DrawRequestSerializer,
        answers={201: DrawSerializer},
        refuses=("nobody_behind_key", "not_allowed", "nothing_to_draw", "too_many_drawn"),
    )
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

    @operation(
        "read_draw",
        "Read how far a draw is labelled",
        scope=Scope.LABELS_EXPORT,
        parameters=[_DRAW_ID],
        answers={200: DrawSerializer},
        refuses=("not_found",),
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        """Read a draw with its progress."""
        return Response(DrawSerializer(_own_draw(request, id)).data)

    @operation(
        "cancel_draw",
        "Cancel what is left of a draw",
        "The posts decided so far remain a random sample, of fewer posts.",
        scope=Scope.LABELS_EXPORT,
        parameters=[_DRAW_ID],
        answers={204: None},
        refuses=("nobody_behind_key", "not_allowed", "not_found"),
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
