"""Roll-backs: an earlier release goes live again."""

from __future__ import annotations

from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from moderation import scorer
from moderation.api.errors import Refused
from moderation.api.idempotency import idempotent
from moderation.api.serializers.rollbacks import RollbackRequestSerializer, RollbackSerializer
from moderation.api.views.base import ONCE, WRITE_PROBLEMS, ApiView, exporter_of, problem_responses
from moderation.api.views.models import release_of
from moderation.models.platforms import Scope
from moderation.operations.releases import promote


class Rollbacks(ApiView):
    """POST /rollbacks"""

    scopes: ClassVar = {"POST": Scope.MODELS_ADMIN}
    waits_for_triton = True

    @extend_schema(
        operation_id="roll_back",
        summary="Let an earlier release go live again",
        description=(
            "What the desk's button does, for every platform of the installation: one person is enough. "
            "Workers follow within seconds. Needs a key that acts for a lead or an ML engineer. "
            "Scope: `models:admin`."
        ),
        parameters=[ONCE],
        request=RollbackRequestSerializer,
        responses={
            201: RollbackSerializer,
            **problem_responses(
                "nobody_behind_key",
                "not_allowed",
                "not_found",
                "already_live",
                "live_has_changed",
                "nothing_before",
                "not_promoted",
                *WRITE_PROBLEMS,
            ),
        },
    )
    @idempotent
    def post(self, request: Request) -> Response:
        person = exporter_of(request)
        given = self.read(RollbackRequestSerializer, request)
        to = release_of(given["to"]).pk if "to" in given else ""
        if given["live"] != scorer.newest():
            raise Refused("live_has_changed", "Another release is live; read which.")
        try:
            done = promote.roll_back(to=to, actor=person, at=timezone.now())
        except promote.REFUSED as refusal:
            raise _refused(refusal) from refusal
        return Response(RollbackSerializer(done).data, status=status.HTTP_201_CREATED)


def _refused(refusal: Exception) -> Refused:
    if isinstance(refusal, promote.LiveHasChanged):
        return Refused("live_has_changed", "Another release went live meanwhile.")
    if isinstance(refusal, promote.AlreadyLive):
        return Refused("already_live", "This release is live.")
    if isinstance(refusal, promote.NothingBefore):
        return Refused("nothing_before", "No release was live before this one.")
    if isinstance(refusal, promote.NeverLive):
        return Refused("not_promoted", "This release was never live here; it can be proposed.")
    return Refused("not_promoted", f"It was refused as {type(refusal).__name__}.")
