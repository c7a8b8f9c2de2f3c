"""Notes on cases, and second reviews."""

from __future__ import annotations

from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import about
from moderation.api.idempotency import idempotent
from moderation.api.serializers.cases import (
    CaseNoteSerializer,
    CaseSerializer,
    HandOnRequestSerializer,
    NoteRequestSerializer,
)
from moderation.api.views.base import ONCE, WRITE_PROBLEMS, ApiView, problem_responses, user_of
from moderation.api.views.cases import CASE_ID, own_case
from moderation.models.platforms import Scope
from moderation.operations.cases import notes, second_review

_PROBLEMS = ("nobody_behind_key", "not_allowed", "not_found", *WRITE_PROBLEMS)


class CaseNotes(ApiView):
    """POST /cases/{id}/notes"""

    scopes: ClassVar = {"POST": Scope.DECISIONS_WRITE}

    @extend_schema(
        operation_id="note_case",
        summary="Leave a note on a case",
        description="For the next reviewer; needs no claim. Scope: `decisions:write`.",
        parameters=[ONCE, CASE_ID],
        request=NoteRequestSerializer,
        responses={201: CaseNoteSerializer, **problem_responses("erased", *_PROBLEMS)},
    )
    @idempotent
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        """Write a note for the next reviewer of the case."""
        row, text = own_case(request, id), self.read(NoteRequestSerializer, request)["note"]
        made = notes.write(case=row, author=user_of(request), text=text, at=timezone.now())
        about.post(row.post_id)
        return Response(CaseNoteSerializer(made).data, status=status.HTTP_201_CREATED)


class SecondReviews(ApiView):
    """POST /cases/{id}/second-reviews"""

    scopes: ClassVar = {"POST": Scope.DECISIONS_WRITE}

    @extend_schema(
        operation_id="ask_second_person",
        summary="Have a decided case looked at again",
        description=(
            "Opens a new case of the post, which the first decider does not get. Its reviewer does not see "
            "the first verdict, which stands until then. Scope: `decisions:write`."
        ),
        parameters=[ONCE, CASE_ID],
        request=HandOnRequestSerializer,
        responses={201: CaseSerializer, **problem_responses("not_decided", "erased", *_PROBLEMS)},
    )
    @idempotent
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        """Open a second review; the first decision stands until it is decided."""
        row, at = own_case(request, id), timezone.now()
        text = self.read(HandOnRequestSerializer, request).get("note", "")
        made = second_review.ask(case_id=row.pk, asked_by=user_of(request), text=text, at=at)
        answer = CaseSerializer(own_case(request, str(made.pk)), context={"at": at}).data
        return Response(answer, status=status.HTTP_201_CREATED)
