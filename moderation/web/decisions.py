"""The decisions page: what was decided, taking it back."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from moderation.models import Decision
from moderation.models.cases import Verdict
from moderation.models.filters import FilterPage
from moderation.operations.cases import reverse
from moderation.operations.refusals import Refusal
from moderation.queries.accounts import reasons as accounts_reasons
from moderation.queries.decisions import decision_pages
from moderation.queries.decisions.decision_pages import HistoryFilter
from moderation.queries.keyset import InvalidCursor
from moderation.web import access
from moderation.web.cases import review_actions
from moderation.web.forms import CorrectForm, HistoryFilterForm
from moderation.web.posts import saved_filters


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
        found = decision_pages.page(viewer=request.user, wanted=wanted, cursor=request.GET.get("cursor", ""))
    except InvalidCursor as refusal:
        raise Http404(str(refusal)) from refusal
    context = {"section": "decisions", "at": timezone.now(), "page": found, "wanted": wanted}
    if request.htmx:
        return render(request, "decisions/decisions.html#rows", context)
    return render(
        request, "decisions/decisions.html", context | saved_filters.context(request, FilterPage.DECISIONS)
    )


@require_POST
@access.deciders
def undo(request: access.DeskRequest, decision_id: int) -> HttpResponse:
    """Take back one's own decision while its countdown runs; the case is in front again."""
    at = timezone.now()
    try:
        case = reverse.undo(decision_id=decision_id, moderator=request.user, at=at)
    except Decision.DoesNotExist as refusal:
        raise Http404 from refusal
    except Refusal as refusal:
        if "Shift" in request.headers:
            return review_actions.answer(request, cases=[], notice=str(refusal), status=409, at=at)
        messages.warning(request, str(refusal))
        return redirect("decisions")
    return review_actions.answer(request, front_id=case.pk, said=_("Undone. The case is back."), at=at)


@require_http_methods(["GET", "HEAD", "POST"])
@access.deciders
def correct(request: access.DeskRequest, decision_id: int) -> HttpResponse:
    """Show what a correction does, and replace a decision that the platform knows."""
    if request.method != "POST":
        return _correction(request, decision_id)
    form = CorrectForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("A correction needs words that say why."))
        return _correction(request, decision_id, status=422)
    try:
        decision = reverse.correct(
            decision_id=decision_id,
            verdict=Verdict(form.cleaned_data["verdict"]),
            reason=form.cleaned_data["reason"],
            code=form.cleaned_data["code"],
            moderator=request.user,
            at=timezone.now(),
        )
    except Decision.DoesNotExist as refusal:
        raise Http404 from refusal
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    else:
        words = _("Corrected to %(verdict)s. The platform will be told.")
        messages.success(request, words % {"verdict": decision.get_verdict_display()})
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
