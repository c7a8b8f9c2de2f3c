"""Second reviews: who disagreed, and how many wait, for leads; undoing an answer."""

from functools import partial

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models.decisions import Verdict
from moderation.operations.cases import blind_answers
from moderation.operations.cases import blind_reviews as plans
from moderation.queries.accounts import reasons as accounts_reasons
from moderation.queries.cases import blind_reviews
from moderation.queries.cases.blind_reviews import DisputeState
from moderation.web import access
from moderation.web.cases import review_actions
from moderation.web.forms import ReasonedForm
from moderation.web.lists import list_pages


class SettleForm(ReasonedForm):
    """The last word on a disagreement, and why."""

    note = forms.CharField(max_length=500, strip=True)


@access.leads.get
def page(request: access.DeskRequest) -> HttpResponse:
    """List the disagreements, by default those that wait, and every platform's plan."""
    at, state = timezone.now(), list_pages.state_named(request, usual=DisputeState.WAITING)
    disputes = blind_reviews.disagreements(
        viewer=request.user, state=state, at=at, cursor=request.GET.get("cursor", "")
    )
    reasons = accounts_reasons.reasons()
    context = {
        "section": "quality",
        "at": at,
        "state": state,
        "query": f"state={state}",
        "page": disputes,
        "waiting": blind_reviews.waiting_count(at=at),
        "reasons": reasons,
        "titles": {reason.code: reason.shown_title for reason in reasons},
        "plans": blind_reviews.plans(),
        "most_percent": round(100 * plans.MOST_OF_QUEUE),
        "fewest": plans.FEWEST,
        "wait_days": plans.WAITS.days,
    }
    return render(request, "cases/second_reviews.html", context)


@access.leads.post
def settle(request: access.DeskRequest, review_id: int) -> HttpResponse:
    """Let the decision stand, or correct it."""
    form = SettleForm(request.POST)
    with access.refusals_told(request):
        access.complete(form, _("Choose a verdict and say why."))
        review = blind_answers.settle(
            review_id=review_id,
            verdict=Verdict(form.cleaned_data["verdict"]),
            note=form.cleaned_data["note"],
            reason=form.cleaned_data["code"],
            lead=request.user,
            at=timezone.now(),
        )
        is_upheld = review.decision is not None and review.decision.verdict == review.settled_verdict
        corrected = _("Settled: the decision was corrected. The platform will be notified.")
        messages.success(request, _("Settled: the decision stands.") if is_upheld else corrected)
    return redirect("second-reviews")


@access.deciders.post
def undo(request: access.DeskRequest, review_id: int) -> HttpResponse:
    """Take back one's own answer while its countdown runs; the case is shown again."""
    return review_actions.undone(request, partial(blind_answers.undo, review_id=review_id), back="review")
