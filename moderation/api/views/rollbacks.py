"""Roll-backs: an earlier release goes live again."""

from __future__ import annotations

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from moderation import scorer
from moderation.api.authentication import exporter_of
from moderation.api.errors import Refused
from moderation.api.serializers.rollbacks import RollbackRequestSerializer, RollbackSerializer
from moderation.api.views.base import ApiView, operation
from moderation.api.views.models import release_of
from moderation.models.platforms import Scope
from moderation.operations.releases import promote


class Rollbacks(ApiView):
    """POST /rollbacks"""

    waits_for_triton = True

    @operation(
        "roll_back",
        "Let an earlier release go live again",
        (
            "What the desk's button does, for every platform of the installation: one person is enough. "
            "Workers follow within seconds. Needs a key that acts for a lead or an ML engineer."
        ),
        scope=Scope.MODELS_ADMIN,
        takes=RollbackRequestSerializer,
        answers={201: RollbackSerializer},
        refuses=(
            "nobody_behind_key",
            "not_allowed",
            "not_found",
            "already_live",
            "live_has_changed",
            "nothing_before",
            "not_promoted",
        ),
    )
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
