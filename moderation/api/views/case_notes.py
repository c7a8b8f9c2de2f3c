"""Notes on cases, and second reviews."""

from __future__ import annotations

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import about
from moderation.api.authentication import user_of
from moderation.api.serializers.cases import (
    CaseNoteSerializer,
    CaseSerializer,
    HandOnRequestSerializer,
    NoteRequestSerializer,
)
from moderation.api.views.base import ApiView, operation
from moderation.api.views.cases import CASE_ID, own_case
from moderation.models.platforms import Scope
from moderation.operations.cases import notes, second_review

_PROBLEMS = ("nobody_behind_key", "not_allowed", "not_found")


class CaseNotes(ApiView):
    """POST /cases/{id}/notes"""

    @operation(
        "note_case",
        "Leave a note on a case",
        "For the next reviewer; needs no claim.",
        scope=Scope.DECISIONS_WRITE,
        parameters=[CASE_ID],
        takes=NoteRequestSerializer,
        answers={201: CaseNoteSerializer},
        refuses=("erased", *_PROBLEMS),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        """Write a note for the next reviewer of the case."""
        row, text = own_case(request, id), self.read(NoteRequestSerializer, request)["note"]
        made = notes.write(case=row, author=user_of(request), text=text, at=timezone.now())
        about.post(row.post_id)
        return Response(CaseNoteSerializer(made).data, status=status.HTTP_201_CREATED)


class SecondReviews(ApiView):
    """POST /cases/{id}/second-reviews"""

    @operation(
        "ask_second_person",
        "Have a decided case looked at again",
        (
            "Opens a new case of the post, which the first decider does not get. Its reviewer does not see "
            "the first verdict, which stands until then."
        ),
        scope=Scope.DECISIONS_WRITE,
        parameters=[CASE_ID],
        takes=HandOnRequestSerializer,
        answers={201: CaseSerializer},
        refuses=("not_decided", "erased", *_PROBLEMS),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        """Open a second review; the first decision stands until it is decided."""
        row, at = own_case(request, id), timezone.now()
        text = self.read(HandOnRequestSerializer, request).get("note", "")
        made = second_review.ask(case_id=row.pk, asked_by=user_of(request), text=text, at=at)
        answer = CaseSerializer(own_case(request, str(made.pk)), context={"at": at}).data
        return Response(answer, status=status.HTTP_201_CREATED)
