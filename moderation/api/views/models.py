"""Releases: read, replayed, rolled back; and training runs that make the next one."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from moderation import scorer
from moderation.api.authentication import exporter_of, platform_of
from moderation.api.errors import Refused
from moderation.api.serializers import models as formats
from moderation.api.views.base import (
    PERSON_PROBLEMS,
    ApiView,
    in_path,
    known,
    location_header,
    made,
    number_of,
    one_of,
    operation,
)
from moderation.models import Decision, Release, Score, TrainingRun
from moderation.models.platforms import Scope
from moderation.operations.learning import training_runs
from moderation.operations.releases import promote, replay
from moderation.queries.learning import models
from moderation.queries.records import stored_scores

_MODEL_ID = in_path("id", "The release.")
_RUN_ID = in_path("id", "The training run.")


class Models(ApiView):
    @operation(
        "read_models",
        "Read the latest releases",
        "Releases that scored something or were live, at most twenty.",
        scope=Scope.MODELS_READ,
        answers={200: formats.ModelPageSerializer},
    )
    def get(self, request: Request) -> Response:
        return Response(
            formats.ModelPageSerializer({"data": models.releases()}, context=_reader(request)).data
        )


class OneModel(ApiView):
    @operation(
        "read_model",
        "Read a release",
        scope=Scope.MODELS_READ,
        parameters=[_MODEL_ID],
        answers={200: formats.ModelSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        return Response(formats.ModelSerializer(release_of(id), context=_reader(request)).data)


class ModelMetrics(ApiView):
    @operation(
        "read_model_metrics",
        "Read the figures of a release on its test data",
        (
            "What its training measured and its manifest keeps. How it does on your live posts says `GET "
            "/metrics/quality?release=`."
        ),
        scope=Scope.MODELS_READ,
        parameters=[_MODEL_ID, formats.ModelMetricsQuerySerializer],
        answers={200: formats.ModelMetricsSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        asked = self.query(formats.ModelMetricsQuerySerializer, request)
        return Response(formats.ModelMetricsSerializer(release_of(id), context=asked).data)


class TrainingRuns(ApiView):
    @operation(
        "start_training",
        "Train the next release",
        (
            "A task learns from your platform's decisions and compares the candidate with the live release. "
            "Nothing goes live. One run is open at a time. Needs a key that acts for a lead or an ML "
            "engineer."
        ),
        scope=Scope.MODELS_ADMIN,
        parameters=[location_header(202)],
        answers={202: formats.TrainingRunSerializer},
        refuses=(*PERSON_PROBLEMS, "training_open", "nothing_to_learn"),
    )
    def post(self, request: Request) -> Response:
        row = training_runs.request(
            requested_by=exporter_of(request), platform=platform_of(request), at=timezone.now()
        )
        return made(formats.TrainingRunSerializer(row).data, at="api:training-run", pk=row.pk, status=202)


class OneTrainingRun(ApiView):
    @operation(
        "read_training",
        "Read how far a training run is",
        scope=Scope.MODELS_READ,
        parameters=[_RUN_ID],
        answers={200: formats.TrainingRunSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        return Response(formats.TrainingRunSerializer(own_training_run(request, id)).data)

    @operation(
        "cancel_training",
        "Cancel a training run",
        "Its process ends within seconds.",
        scope=Scope.MODELS_ADMIN,
        parameters=[_RUN_ID],
        answers={204: None},
        refuses=(*PERSON_PROBLEMS, "training_ended"),
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = own_training_run(request, id)
        training_runs.cancel(run_id=row.pk, actor=exporter_of(request), at=timezone.now())
        return Response(status=204)


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
    rows = TrainingRun.objects.filter(platform=platform_of(request))
    return one_of(rows, identifier, "No training run has this id.")


class Rollbacks(ApiView):
    waits_for_triton = True

    @operation(
        "roll_back",
        "Let an earlier release go live again",
        (
            "What the desk's button does, for every platform of the installation: one person is enough. "
            "Workers follow within seconds. Needs a key that acts for a lead or an ML engineer."
        ),
        scope=Scope.MODELS_ADMIN,
        takes=formats.RollbackRequestSerializer,
        answers={201: formats.RollbackSerializer},
        refuses=(
            *PERSON_PROBLEMS,
            "not_found",
            "already_live",
            "live_has_changed",
            "nothing_before",
            "not_promoted",
        ),
    )
    def post(self, request: Request) -> Response:
        person = exporter_of(request)
        given = self.read(formats.RollbackRequestSerializer, request)
        to = release_of(given["to"]).pk if "to" in given else ""
        if given["live"] != scorer.newest():
            raise Refused("live_has_changed", "Another release is live; read which.")
        try:
            done = promote.roll_back(to=to, actor=person, at=timezone.now())
        except promote.REFUSED as refusal:
            raise _refused(refusal) from refusal
        return Response(formats.RollbackSerializer(done).data, status=201)


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


class Replays(ApiView):
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
        takes=formats.ReplayRequestSerializer,
        answers={200: formats.ReplaySerializer},
        refuses=("not_found", "release_unusable"),
    )
    def post(self, request: Request) -> Response:
        given = self.read(formats.ReplayRequestSerializer, request)
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
        return Response(formats.replay(found, scores=scores, release=release.pk))


def _scores(request: Request, given: dict[str, Any]) -> list[Score]:
    platform = platform_of(request)
    if "range" in given:
        return stored_scores.of_range(platform=platform, **given["range"])
    with known(Decision, "No decision has this id."):
        return stored_scores.of_decision(platform=platform, decision_id=number_of(given["decision_id"]))
