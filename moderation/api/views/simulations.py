"""Simulations: what other thresholds would do to a platform's posts."""

from __future__ import annotations

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from moderation import scorer
from moderation.api.authentication import platform_of
from moderation.api.serializers.simulations import (
    SimulationRequestSerializer,
    SimulationSerializer,
    costs,
    thresholds,
)
from moderation.api.views.base import ApiView, operation
from moderation.models.platforms import Scope
from moderation.queries.learning import simulation, traffic


class ThresholdSimulations(ApiView):
    """POST /simulations/threshold"""

    @operation(
        "simulate_thresholds",
        "Simulate thresholds",
        (
            "What the thresholds would do to your posts, estimated from labels and counted on the last seven "
            "days, beside the live ones. Nothing changes."
        ),
        scope=Scope.MODELS_READ,
        takes=SimulationRequestSerializer,
        answers={200: SimulationSerializer},
    )
    def post(self, request: Request) -> Response:
        given = self.read(SimulationRequestSerializer, request)
        about = traffic.of_platform(scorer.release(), platform=platform_of(request))
        found = simulation.simulate(
            about,
            wanted=thresholds(given.get("thresholds"), live=about.thresholds),
            days=given["days"],
            costs=costs(given.get("costs")),
            precision=given["precision"],
            at=timezone.now(),
        )
        return Response(SimulationSerializer(found, context=given).data)
