"""The decisions page: the list, undo and correction."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from moderation.models import Decision
from moderation.models.decisions import Verdict
from moderation.operations.cases import reversals
from moderation.queries.accounts import reasons as accounts_reasons
from moderation.queries.decisions import decision_pages
from moderation.web import access
from moderation.web.cases import undoing
from moderation.web.decisions import decision_csv
from moderation.web.decisions.decision_filters import DecisionFilterForm
from moderation.web.forms import CorrectForm
from moderation.web.lists import list_pages
from moderation.web.middleware.standby_reads import may_be_behind


@require_safe
@access.readers
@may_be_behind
def page(request: access.DeskRequest) -> HttpResponse:
    """Show one's own decisions; a lead begins with everyone's."""
    form = DecisionFilterForm(request.GET, viewer=request.user)
    wanted = form.wanted()
    with list_pages.cursor_or_404():
        found = decision_pages.page(viewer=request.user, wanted=wanted, cursor=request.GET.get("cursor", ""))
    context = {
        "section": "decisions",
        "at": timezone.now(),
        "page": found,
    }
    return list_pages.answer(request, "decisions/decisions.html", context, form=form)


@require_safe
@access.readers
def export(request: access.DeskRequest) -> StreamingHttpResponse:
    """Stream the decisions that the filters find as CSV."""
    wanted = DecisionFilterForm(request.GET, viewer=request.user).wanted()
    return StreamingHttpResponse(
        decision_csv.lines(decision_pages.every(viewer=request.user, wanted=wanted)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="decisions.csv"'},
    )


@require_POST
@access.deciders
def undo(request: access.DeskRequest, decision_id: int) -> HttpResponse:
    """Undo one's own decision while its countdown runs; the case is shown again."""
    try:
        return undoing.undone(request, partial(reversals.undo, decision_id=decision_id), back="decisions")
    except Decision.DoesNotExist as refusal:
        raise Http404 from refusal


@require_http_methods(["GET", "HEAD", "POST"])
@access.deciders
def correct(request: access.DeskRequest, decision_id: int) -> HttpResponse:
    """Show what a correction does, and replace a decision that the platform knows."""
    if request.method != "POST":
        return _correction(request, decision_id)
    form = CorrectForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("A correction needs a reason."))
        return _correction(request, decision_id, status=422)
    try:
        with access.refusals_told(request):
            decision = reversals.correct(
                decision_id=decision_id,
                verdict=Verdict(form.cleaned_data["verdict"]),
                reason=form.cleaned_data["reason"],
                code=form.cleaned_data["code"],
                moderator=request.user,
                at=timezone.now(),
            )
            words = _("Corrected to %(verdict)s. The platform will be notified.")
            messages.success(request, words % {"verdict": decision.get_verdict_display()})
    except Decision.DoesNotExist as refusal:
        raise Http404 from refusal
    return redirect("decisions")


def _correction(request: access.DeskRequest, decision_id: int, *, status: int = 200) -> HttpResponse:
    at = timezone.now()
    found = decision_pages.correctable(decision_id=decision_id, viewer=request.user, at=at)
    if found is None:
        raise Http404
    verdict = Verdict.NOT_SPAM if found.decision.verdict == Verdict.SPAM else Verdict.SPAM
    reasons = [reason for reason in accounts_reasons.reasons() if reason.verdict == verdict]
    context = {"section": "decisions", "at": at, "found": found, "verdict": verdict, "reasons": reasons}
    return render(request, "decisions/correct.html", context, status=status)
