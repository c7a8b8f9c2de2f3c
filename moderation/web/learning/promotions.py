"""Candidates go live by two names: one person proposes, another confirms; anybody may refuse."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from moderation.models import ReleaseProposal, TrainingRun
from moderation.models.learning import ProposalKind
from moderation.operations.learning import candidates, proposals
from moderation.operations.refusals import Refusal
from moderation.operations.releases import promote
from moderation.web import access
from moderation.web.learning import refused


class CandidateForm(forms.Form):
    """Why a candidate should go live."""

    reason = forms.CharField(max_length=500, strip=True)


@require_POST
@access.exporters
def propose(request: access.DeskRequest, run_id: int) -> HttpResponse:
    """Propose the candidate of a training run."""
    get_object_or_404(TrainingRun, pk=run_id)
    form = CandidateForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Give a reason of at most 500 characters."))
        return redirect("models")
    try:
        candidates.propose(
            run_id=run_id, reason=form.cleaned_data["reason"], actor=request.user, at=timezone.now()
        )
    except candidates.NoCandidate:
        messages.error(request, _("This training run made no release."))
    except Refusal as refusal:
        messages.error(request, str(refusal))
    return redirect("models")


@require_POST
@access.exporters
def confirm(request: access.DeskRequest, proposal_id: int) -> HttpResponse:
    """Let a proposed candidate go live, as the second person."""
    get_object_or_404(ReleaseProposal, pk=proposal_id, kind=ProposalKind.PROMOTION)
    try:
        done = proposals.confirm(proposal_id=proposal_id, actor=request.user, at=timezone.now())
    except Refusal as refusal:
        messages.error(request, str(refusal))
    except promote.REFUSED as refusal:
        messages.error(request, refused.words(refusal))
    else:
        messages.success(request, _("%(release)s is live.") % {"release": done.release_id[:12]})
    return redirect("models")


@require_POST
@access.exporters
def refuse(request: access.DeskRequest, proposal_id: int) -> HttpResponse:
    """Refuse a proposed candidate, or withdraw one's own proposal."""
    get_object_or_404(ReleaseProposal, pk=proposal_id, kind=ProposalKind.PROMOTION)
    try:
        proposals.refuse(proposal_id=proposal_id, actor=request.user, at=timezone.now())
    except Refusal as refusal:
        messages.error(request, str(refusal))
    return redirect("models")
