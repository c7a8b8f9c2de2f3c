"""Releases, and training runs that make the next one."""

from __future__ import annotations

from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from moderation import scorer
from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.idempotency import idempotent
from moderation.api.serializers.models import (
    ModelMetricsQuerySerializer,
    ModelMetricsSerializer,
    ModelPageSerializer,
    ModelSerializer,
    TrainingRunSerializer,
)
from moderation.api.views.base import (
    ONCE,
    WRITE_PROBLEMS,
    ApiView,
    exporter_of,
    location_header,
    number_of,
    problem_responses,
)
from moderation.models import Release, TrainingRun
from moderation.models.platforms import Scope
from moderation.operations.learning import training_runs
from moderation.queries.learning import models

_MODEL_ID = OpenApiParameter("id", str, OpenApiParameter.PATH, description="The release.")
_RUN_ID = OpenApiParameter("id", str, OpenApiParameter.PATH, description="The training run.")


class Models(ApiView):
    """GET /models"""

    scopes: ClassVar = {"GET": Scope.MODELS_READ}

    @extend_schema(
        operation_id="read_models",
        summary="Read the latest releases",
        description="Releases that scored something or were live, at most twenty. Scope: `models:read`.",
        responses={200: ModelPageSerializer, **problem_responses()},
    )
    def get(self, request: Request) -> Response:
        return Response(ModelPageSerializer({"data": models.releases()}, context=_reader(request)).data)


class OneModel(ApiView):
    """GET /models/{id}"""

    scopes: ClassVar = {"GET": Scope.MODELS_READ}

    @extend_schema(
        operation_id="read_model",
        summary="Read a release",
        description="Scope: `models:read`.",
        parameters=[_MODEL_ID],
        responses={200: ModelSerializer, **problem_responses("not_found")},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        return Response(ModelSerializer(release_of(id), context=_reader(request)).data)


class ModelMetrics(ApiView):
    """GET /models/{id}/metrics"""

    scopes: ClassVar = {"GET": Scope.MODELS_READ}

    @extend_schema(
        operation_id="read_model_metrics",
        summary="Read the figures of a release on its test data",
        description=(
            "What its training measured and its manifest keeps. How it does on your live posts says "
            "`GET /metrics/quality?release=`. Scope: `models:read`."
        ),
        parameters=[_MODEL_ID, ModelMetricsQuerySerializer],
        responses={200: ModelMetricsSerializer, **problem_responses("not_found", "invalid_fields")},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        asked = self.query(ModelMetricsQuerySerializer, request)
        return Response(ModelMetricsSerializer(release_of(id), context=asked).data)


class TrainingRuns(ApiView):
    """POST /models/training-runs"""

    scopes: ClassVar = {"POST": Scope.MODELS_ADMIN}

    @extend_schema(
        operation_id="start_training",
        summary="Train the next release",
        description=(
            "A task learns from your platform's decisions and compares the candidate with the live release. "
            "Nothing goes live. One run is open at a time. Needs a key that acts for a lead or an ML "
            "engineer. Scope: `models:admin`."
        ),
        parameters=[ONCE, location_header(202)],
        request=None,
        responses={
            202: TrainingRunSerializer,
            **problem_responses(
                "nobody_behind_key", "not_allowed", "training_open", "nothing_to_learn", *WRITE_PROBLEMS
            ),
        },
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Start a training run."""
        row = training_runs.request(
            requested_by=exporter_of(request), platform=platform_of(request), at=timezone.now()
        )
        headers = {"Location": reverse("api:training-run", args=[str(row.pk)])}
        return Response(TrainingRunSerializer(row).data, status=status.HTTP_202_ACCEPTED, headers=headers)


class OneTrainingRun(ApiView):
    """GET, DELETE /models/training-runs/{id}"""

    scopes: ClassVar = {"GET": Scope.MODELS_READ, "DELETE": Scope.MODELS_ADMIN}

    @extend_schema(
        operation_id="read_training",
        summary="Read how far a training run is",
        description="Scope: `models:read`.",
        parameters=[_RUN_ID],
        responses={200: TrainingRunSerializer, **problem_responses("not_found")},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        return Response(TrainingRunSerializer(own_training_run(request, id)).data)

    @extend_schema(
        operation_id="cancel_training",
        summary="Cancel a training run",
        description="Its process ends within seconds. Scope: `models:admin`.",
        parameters=[_RUN_ID],
        responses={
            204: None,
            **problem_responses("nobody_behind_key", "not_allowed", "not_found", "training_ended"),
        },
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = own_training_run(request, id)
        training_runs.cancel(run_id=row.pk, actor=exporter_of(request), at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


def release_of(identifier: str) -> Release:
    """Return a release that scored here or was live. Raises Refused."""
    row = Release.objects.filter(pk=identifier).first() if "\x00" not in identifier else None
    if row is None:
        raise Refused("not_found", "No release has this id.")
    return row


def _reader(request: Request) -> dict[str, str]:
    """Return what the answer about a release depends on besides the release."""
    return {"live": scorer.newest(), "platform": platform_of(request).slug}


def own_training_run(request: Request, identifier: str) -> TrainingRun:
    """Return a training run of the own platform. Raises Refused."""
    row = TrainingRun.objects.filter(platform=platform_of(request), pk=number_of(identifier)).first()
    if row is None:
        raise Refused("not_found", "No training run has this id.")
    return row
