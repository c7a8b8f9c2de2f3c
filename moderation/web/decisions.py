"""The decisions page: what was decided, taking it back."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from moderation.models import Decision
from moderation.models.cases import Verdict
from moderation.operations import reverse
from moderation.operations.review import Refusal
from moderation.queries import history
from moderation.queries.history import HistoryFilter
from moderation.queries.queue import InvalidCursor
from moderation.web import access, review
from moderation.web.forms import CorrectForm, HistoryFilterForm


@require_safe
@access.deciders
def page(request: access.DeskRequest) -> HttpResponse:
    """Show one's own decisions, or everyone's to a lead."""
    form = HistoryFilterForm(request.GET)
    form.is_valid()
    wanted = HistoryFilter(
        text=form.cleaned_data.get("q", ""),
        verdict=form.cleaned_data.get("verdict", ""),
        is_everyone=form.cleaned_data.get("whose") == "everyone" and request.user.may_lead,
    )
    try:
        found = history.page(viewer=request.user, wanted=wanted, cursor=request.GET.get("cursor", ""))
    except InvalidCursor as refusal:
        raise Http404(str(refusal)) from refusal
    context = {"section": "decisions", "at": timezone.now(), "page": found, "wanted": wanted}
    return render(request, "decisions.html#rows" if request.htmx else "decisions.html", context)


@require_POST
@access.deciders
def undo(request: access.DeskRequest, decision_id: int) -> HttpResponse:
    """Take back one's own decision while its countdown runs; the case is in front again."""
    try:
        case = reverse.undo(decision_id=decision_id, moderator=request.user, at=timezone.now())
    except Decision.DoesNotExist as refusal:
        raise Http404 from refusal
    except Refusal as refusal:
        messages.warning(request, str(refusal))
        return _to_page(request)
    return review.reopened(request, case.pk)


@require_POST
@access.deciders
def correct(request: access.DeskRequest, decision_id: int) -> HttpResponse:
    """Replace a decision that the platform knows; the platform is told of the change."""
    form = CorrectForm(request.POST)
    if not form.is_valid():
        messages.warning(request, "A correction needs a reason.")
        return _to_page(request)
    try:
        decision = reverse.correct(
            decision_id=decision_id,
            verdict=Verdict(form.cleaned_data["verdict"]),
            reason=form.cleaned_data["reason"],
            moderator=request.user,
            at=timezone.now(),
        )
    except Decision.DoesNotExist as refusal:
        raise Http404 from refusal
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(
            request, f"Corrected to {decision.get_verdict_display()}. The platform will be told."
        )
    return _to_page(request)


def _to_page(request: access.DeskRequest) -> HttpResponse:
    if request.htmx:
        response = HttpResponse(status=204)
        response["HX-Redirect"] = "/decisions/"
        return response
    return redirect("decisions")
