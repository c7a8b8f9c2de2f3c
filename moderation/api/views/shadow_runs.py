"""Shadow runs: a candidate scores live posts beside the live release, without effect."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of, user_of
from moderation.api.errors import Refused
from moderation.api.serializers import shadow_runs as formats
from moderation.api.serializers.cursors import IdPageQuerySerializer
from moderation.api.views.base import (
    PERSON_PROBLEMS,
    ApiView,
    in_path,
    location_header,
    made,
    one_of,
    operation,
)
from moderation.api.views.models import own_training_run
from moderation.models import ShadowRun
from moderation.models.platforms import Scope
from moderation.operations.learning import shadow
from moderation.queries import keyset
from moderation.queries.learning import proposal_pages, shadow_pages

_ID = in_path("id", "The shadow run.")
_WHO = "Needs a key that acts for a lead or an ML engineer."


class ShadowRuns(ApiView):
    waits_for_triton = True

    @operation(
        "read_shadow_runs",
        "Read shadow runs",
        (
            "Of the candidates of your training runs (of all candidates if no other platform is here), the "
            "newest first. Counts are of your posts."
        ),
        scope=Scope.MODELS_READ,
        parameters=[IdPageQuerySerializer],
        answers={200: formats.ShadowRunPageSerializer},
    )
    def get(self, request: Request) -> Response:
        asked = self.query(IdPageQuerySerializer, request)
        platform = platform_of(request)
        rows = shadow_pages.of_platform(platform)
        found = keyset.page(rows, order=("-pk",), **asked)
        counted = shadow_pages.progress_of(found.rows, platform=platform)
        return Response(formats.ShadowRunPageSerializer(found, context={"progress": counted}).data)

    @operation(
        "start_shadow_run",
        "Let a candidate score live posts without effect",
        (
            "It scores what the live release has scored, from the same records, and routes nothing. One run "
            "is open at a time, of any platform. " + _WHO
        ),
        scope=Scope.MODELS_ADMIN,
        parameters=[location_header(201)],
        takes=formats.ShadowRunRequestSerializer,
        answers={201: formats.ShadowRunSerializer},
        refuses=(
            *PERSON_PROBLEMS,
            "not_found",
            "no_candidate",
            "already_live",
            "shadow_open",
            "candidate_unusable",
        ),
    )
    def post(self, request: Request) -> Response:
        given = self.read(formats.ShadowRunRequestSerializer, request)
        person = user_of(request)
        run = own_training_run(request, given["training_run"])
        if not run.candidate:
            raise Refused("no_candidate", "The training run made no release.")
        try:
            row = shadow.start(candidate=run.candidate, share=given["share"], actor=person, at=timezone.now())
        except shadow.UNUSABLE as refusal:
            # Its message may name files of the server.
            told = f"It was refused as {type(refusal).__name__}."
            raise Refused("candidate_unusable", told) from refusal
        return made(_answer(request, row), at="api:shadow-run", pk=row.pk)


class OneShadowRun(ApiView):
    @operation(
        "read_shadow_run",
        "Read a shadow run",
        "Counts are of your posts.",
        scope=Scope.MODELS_READ,
        parameters=[_ID],
        answers={200: formats.ShadowRunSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        return Response(_answer(request, own_run(request, id)))

    @operation(
        "stop_shadow_run",
        "Stop a shadow run",
        ("What it scored stays. " + _WHO),
        scope=Scope.MODELS_ADMIN,
        parameters=[_ID],
        answers={204: None},
        refuses=(*PERSON_PROBLEMS, "shadow_ended"),
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row, person = own_run(request, id), user_of(request)
        shadow.stop(run_id=row.pk, actor=person, at=timezone.now())
        return Response(status=204)


class Disagreements(ApiView):
    @operation(
        "read_disagreements",
        "Read your posts that both releases route differently",
        "The farthest apart first.",
        scope=Scope.MODELS_READ,
        parameters=[_ID, formats.DisagreementsQuerySerializer],
        answers={200: formats.DisagreementPageSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        asked = self.query(formats.DisagreementsQuerySerializer, request)
        rows = shadow_pages.differing(own_run(request, id)).filter(platform=platform_of(request))
        order = shadow_pages.DISAGREEMENT_ORDER
        found = keyset.page(rows, order=order, **asked)
        return Response(formats.DisagreementPageSerializer(found).data)


class ShadowFigures(ApiView):
    @operation(
        "read_shadow_figures",
        "Read what labels say of the candidate",
        (
            "Candidate minus live, with intervals that may be looked at every day: of your platform's posts, "
            "and of every slice if no other platform is here. Estimated about once a minute while it runs."
        ),
        scope=Scope.MODELS_READ,
        parameters=[_ID],
        answers={200: formats.ShadowFiguresSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        platform = platform_of(request)
        is_alone = not proposal_pages.has_others(platform)
        return Response(formats.figures(own_run(request, id).figures, platform=platform, is_alone=is_alone))


def own_run(request: Request, identifier: str) -> ShadowRun:
    """Return a run that the platform may know. Raises Refused."""
    return one_of(shadow_pages.of_platform(platform_of(request)), identifier, "No shadow run has this id.")


def _answer(request: Request, row: ShadowRun) -> dict[str, Any]:
    counted = shadow_pages.progress_of([row], platform=platform_of(request))
    return formats.ShadowRunSerializer(row, context={"progress": counted}).data
