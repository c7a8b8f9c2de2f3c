"""Replays: stored records scored again with another release."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from moderation import scorer
from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.serializers.replays import ReplayRequestSerializer, ReplaySerializer
from moderation.api.serializers.replays import replay as shown
from moderation.api.views.base import ApiView, number_of, operation
from moderation.api.views.models import release_of
from moderation.models import Decision, Score
from moderation.models.platforms import Scope
from moderation.operations.releases import replay
from moderation.queries.records import stored_scores


class Replays(ApiView):
    """POST /replays"""

    waits_for_triton = True

    @operation(
        "replay_scores",
        "Score stored records again with another release",
        (
            "The record of a decision, or of at most 200 posts of a period, as it was stored then: what the "
            "release would say and do, beside what was said and done. What a rule decided or the audit "
            "sample drew is left out, and what was erased. Nothing is written; live posts come first on "
            "Triton."
        ),
        scope=Scope.MODELS_READ,
        takes=ReplayRequestSerializer,
        answers={200: ReplaySerializer},
        refuses=("not_found", "release_unusable"),
    )
    def post(self, request: Request) -> Response:
        given = self.read(ReplayRequestSerializer, request)
        release = release_of(given["release"])
        scores = _scores(request, given)
        try:
            found = replay.compare(scores, release_id=release.pk, is_patient=True)
        except scorer.UNUSABLE as reason:
            raise Refused("release_unusable", f"It cannot score here ({type(reason).__name__}).") from reason
        except replay.ContentAway as reason:
            raise Refused(
                "release_unusable", "Its content model does not answer; is it still loaded?"
            ) from reason
        return Response(shown(found, scores=scores, release=release.pk))


def _scores(request: Request, given: dict[str, Any]) -> list[Score]:
    platform = platform_of(request)
    if "range" in given:
        return stored_scores.of_range(platform=platform, **given["range"])
    try:
        return stored_scores.of_decision(platform=platform, decision_id=number_of(given["decision_id"]))
    except Decision.DoesNotExist:
        raise Refused("not_found", "No decision has this id.") from None
