"""Notes on a case, and requests for a second opinion."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from moderation.operations.cases import notes, second_review
from moderation.queries import case_access
from moderation.queries.cases import case_pages
from moderation.web import access
from moderation.web.forms import EscalateForm, NoteForm


@require_POST
@access.deciders
def note(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Leave a note on the case; htmx gets all notes in answer."""
    case, form, at = case_access.visible(request.user).get(pk=case_id), NoteForm(request.POST), timezone.now()
    if form.is_valid():
        with access.refusals_told(request):
            notes.write(case=case, author=request.user, text=form.cleaned_data["note"], at=at)
    if not request.htmx:
        return redirect("case", case_id=case_id)
    context = {"case": case, "notes": case_pages.notes(case), "at": at}
    return render(request, "cases/_case_notes.html", context)


@require_POST
@access.deciders
def ask_second(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Request a second review of the post, and show its page."""
    case, form = case_access.visible(request.user).get(pk=case_id), EscalateForm(request.POST)
    text = form.cleaned_data["note"] if form.is_valid() else ""
    with access.refusals_told(request):
        second_review.ask(case_id=case_id, asked_by=request.user, text=text, at=timezone.now())
        messages.success(request, _("A second person will review this post."))
    return redirect("post", post_id=case.post_id)
