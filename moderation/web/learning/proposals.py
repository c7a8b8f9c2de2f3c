"""Candidates proposed, the second person's answer to a proposed release of whatever kind, and roll-back."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from moderation import scorer
from moderation.models import ReleaseProposal
from moderation.models.learning import ProposalKind
from moderation.operations.learning import proposals
from moderation.operations.releases import promote
from moderation.web import access

_PAGES: dict[str, str] = {ProposalKind.THRESHOLDS: "thresholds", ProposalKind.PROMOTION: "models"}
"""The page that shows the proposals of a kind."""


class CandidateForm(forms.Form):
    """Why a candidate should go live."""

    reason = forms.CharField(max_length=500, strip=True)


@access.exporters.post
def propose(request: access.DeskRequest, run_id: int) -> HttpResponse:
    """Propose the candidate of a training run."""
    form = CandidateForm(request.POST)
    with access.refusals_told(request, done=_("Proposed. It takes effect when a second person confirms it.")):
        access.complete(form, _("Give a reason of at most 500 characters."))
        proposals.propose_candidate(
            run_id=run_id, reason=form.cleaned_data["reason"], actor=request.user, at=timezone.now()
        )
    return redirect("models")


@access.exporters.post
def confirm(request: access.DeskRequest, proposal_id: int) -> HttpResponse:
    """Let a proposed release go live, as the second person."""
    row = get_object_or_404(ReleaseProposal, pk=proposal_id)
    try:
        with access.refusals_told(request):
            done = proposals.confirm(proposal_id=row.pk, actor=request.user, at=timezone.now())
            messages.success(request, _live(done.release_id))
    except promote.REFUSED as refusal:
        messages.warning(request, _stays(refusal))
    return _back(row.kind)


@access.exporters.get
def state(request: access.DeskRequest, proposal_id: int) -> HttpResponse:
    """Answer a page that waits while a release goes live: nothing yet, or that it is to load itself again."""
    row = get_object_or_404(ReleaseProposal, pk=proposal_id)
    if not request.htmx:
        return _back(row.kind)
    return HttpResponse(status=204) if row.is_going_live(at=timezone.now()) else HttpResponseClientRefresh()


@access.exporters.post
def refuse(request: access.DeskRequest, proposal_id: int) -> HttpResponse:
    """Refuse a proposal, or withdraw one's own."""
    row = get_object_or_404(ReleaseProposal, pk=proposal_id)
    with access.refusals_told(request, done=_("The proposal is closed. Nothing changes.")):
        proposals.refuse(proposal_id=row.pk, actor=request.user, at=timezone.now())
    return _back(row.kind)


@access.exporters.post
def roll_back(request: access.DeskRequest) -> HttpResponse:
    """Let an earlier release go live again, if the live one is still the one that the page showed."""
    page = _back(request.POST.get("kind", ""))
    if request.POST.get("live") != scorer.newest():
        messages.warning(request, _("Another release went live in the meantime. Look before rolling back."))
        return page
    try:
        done = promote.roll_back(to=request.POST.get("to", ""), actor=request.user, at=timezone.now())
    except promote.REFUSED as refusal:
        messages.warning(request, _stays(refusal))
    else:
        messages.success(request, _live(done.release_id))
    return page


def _back(kind: str) -> HttpResponse:
    return redirect(_PAGES.get(kind, "models"))


def _live(release: str) -> str:
    return _("%(release)s is live. Workers follow within seconds.") % {"release": release[:12]}


def _stays(refusal: Exception) -> str:
    """Say that the live release stays, and why; a refusal without a message is told by its name."""
    return _("The live release stays: %(reason)s") % {"reason": str(refusal) or type(refusal).__name__}
