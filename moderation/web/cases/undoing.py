"""Undo one's own decision or answer; the views name which."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models import Case, User
from moderation.operations.refusals import Refusal
from moderation.web import access
from moderation.web.cases import review_actions


class Undo(Protocol):
    """Take back a decision or an answer and return its case. Raises a Refusal."""

    def __call__(self, *, moderator: User, at: datetime) -> Case: ...


def undone(request: access.DeskRequest, undo: Undo, *, back: str) -> HttpResponse:
    """Undo and show the case again; if it is refused, a plain form gets the page named `back`."""
    at = timezone.now()
    try:
        case = undo(moderator=request.user, at=at)
    except Refusal as refusal:
        if "Review-Page" in request.headers:
            return review_actions.answer(request, notice=str(refusal), status=409, at=at)
        messages.warning(request, str(refusal))
        return redirect(back)
    return review_actions.answer(request, current_id=case.pk, said=_("Undone. The case is back."), at=at)
