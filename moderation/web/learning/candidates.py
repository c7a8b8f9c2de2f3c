"""Propose that the candidate of a training run goes live; `proposals` holds the second person's answer."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from moderation.models import TrainingRun
from moderation.operations.learning import candidates
from moderation.operations.refusals import Refusal
from moderation.web import access


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
        messages.warning(request, _("Give a reason of at most 500 characters."))
        return redirect("models")
    try:
        candidates.propose(
            run_id=run_id, reason=form.cleaned_data["reason"], actor=request.user, at=timezone.now()
        )
    except candidates.NoCandidate:
        messages.warning(request, _("This training run made no release."))
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, _("Proposed. It takes effect when a second person confirms it."))
    return redirect("models")
