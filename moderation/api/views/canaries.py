"""Canaries: a candidate decides for a share of authors, with two leads' names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.idempotency import idempotent
from moderation.api.serializers.canaries import (
    CanariesQuerySerializer,
    CanaryPageSerializer,
    CanaryRequestSerializer,
    CanarySerializer,
)
from moderation.api.serializers.canaries import canary as shown
from moderation.api.serializers.keyset import page_of
from moderation.api.views.base import (
    ONCE,
    WRITE_PROBLEMS,
    ApiView,
    location_header,
    number_of,
    problem_responses,
    user_of,
)
from moderation.api.views.shadow_runs import own_run, unusable
from moderation.models import ApiKey, CanaryRun
from moderation.models.platforms import Scope
from moderation.operations.learning import canary
from moderation.queries import keyset
from moderation.queries.learning import proposal_pages, shadow_pages

_ID = OpenApiParameter("id", str, OpenApiParameter.PATH, description="The canary.")
_PERSON = ("nobody_behind_key", "not_allowed")
_WHO = "Needs a key that acts for a lead. "


class Canaries(ApiView):
    """GET and POST /canaries"""

    scopes: ClassVar = {"GET": Scope.MODELS_READ, "POST": Scope.MODELS_ADMIN}

    @extend_schema(
        operation_id="read_canaries",
        summary="Read canaries",
        description="Of the shadow runs that you may read, the newest first. Scope: `models:read`.",
        parameters=[CanariesQuerySerializer],
        responses={200: CanaryPageSerializer, **problem_responses("invalid_fields")},
    )
    def get(self, request: Request) -> Response:
        """Read one page."""
        asked = self.query(CanariesQuerySerializer, request)
        rows = _own(request)
        found = keyset.page(rows, order=("-pk",), after=asked.get("cursor"), limit=asked["limit"])
        return Response(page_of(found, shown=_shown_to(request)))

    @extend_schema(
        operation_id="propose_canary",
        summary="Propose that a candidate decides for a share of authors",
        description=(
            "It starts when another lead confirms it, here or on the desk, within seven days, and ends by "
            "itself when the candidate is certainly worse or fails. It is refused to a candidate that is "
            "certainly worse in its shadow run. " + _WHO + "Scope: `models:admin`."
        ),
        parameters=[ONCE, location_header(201)],
        request=CanaryRequestSerializer,
        responses={
            201: CanarySerializer,
            **problem_responses(
                *_PERSON, "not_found", "canary_open", "live_has_changed", "worse_in_shadow", *WRITE_PROBLEMS
            ),
        },
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Propose one."""
        given = self.read(CanaryRequestSerializer, request)
        person = user_of(request)
        run = own_run(request, given["shadow_run"])
        row = canary.propose(shadow_id=run.pk, share=given["share"], actor=person, at=timezone.now())
        place = {"Location": reverse("api:canary", args=[str(row.pk)])}
        return Response(_shown_to(request)(row), status=status.HTTP_201_CREATED, headers=place)


class OneCanary(ApiView):
    """GET, DELETE /canaries/{id}"""

    scopes: ClassVar = {"GET": Scope.MODELS_READ, "DELETE": Scope.MODELS_ADMIN}

    @extend_schema(
        operation_id="read_canary",
        summary="Read a canary",
        description="Scope: `models:read`.",
        parameters=[_ID],
        responses={200: CanarySerializer, **problem_responses("not_found")},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        """Read one."""
        return Response(_shown_to(request)(_row(request, id)))

    @extend_schema(
        operation_id="end_canary",
        summary="End a canary, or refuse a proposed one",
        description="The live release scores the next post. " + _WHO + "Scope: `models:admin`.",
        parameters=[_ID],
        responses={204: None, **problem_responses(*_PERSON, "not_found", "canary_ended")},
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        """End one."""
        row, person = _row(request, id), user_of(request)
        canary.stop(canary_id=row.pk, actor=person, at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class CanaryConfirmations(ApiView):
    """POST /canaries/{id}/confirmation"""

    scopes: ClassVar = {"POST": Scope.MODELS_ADMIN}
    waits_for_triton = True

    @extend_schema(
        operation_id="confirm_canary",
        summary="Let a candidate decide",
        description=(
            "As the second person: nobody confirms their own proposal, with whatever key. "
            + _WHO
            + "Scope: `models:admin`."
        ),
        parameters=[ONCE, _ID],
        request=None,
        responses={
            200: CanarySerializer,
            **problem_responses(
                *_PERSON,
                "not_found",
                "own_proposal",
                "canary_ended",
                "live_has_changed",
                "worse_in_shadow",
                "candidate_unusable",
                *WRITE_PROBLEMS,
            ),
        },
    )
    @idempotent
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        """Confirm it."""
        row, person = _row(request, id), user_of(request)
        try:
            canary.confirm(canary_id=row.pk, actor=person, at=timezone.now())
        except canary.UNUSABLE as refusal:
            raise unusable(refusal) from refusal
        return Response(_shown_to(request)(_row(request, id)))


def _own(request: Request) -> QuerySet[CanaryRun]:
    return CanaryRun.objects.filter(shadow__in=shadow_pages.of_platform(platform_of(request)))


def _row(request: Request, identifier: str) -> CanaryRun:
    row = _own(request).filter(pk=number_of(identifier)).first()
    if row is None:
        raise Refused("not_found", "No canary has this id.")
    return row


def _shown_to(request: Request) -> Callable[[CanaryRun], dict[str, Any]]:
    person_id = request.auth.acts_as_id if isinstance(request.auth, ApiKey) else None
    is_alone = not proposal_pages.has_others(platform_of(request))
    return partial(shown, person_id=person_id, is_alone=is_alone)
