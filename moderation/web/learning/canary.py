"""Canaries on the page of shadow runs: proposed, confirmed by a second person, ended at one press."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from moderation.models import CanaryRun, ShadowRun
from moderation.operations.learning import canary
from moderation.operations.refusals import Refusal
from moderation.web import access
from moderation.web.quality import shares


class CanaryForm(forms.Form):
    """For how many percent of authors the candidate decides."""

    percent = forms.FloatField(min_value=0.1, max_value=50)


@require_POST
@access.leads
def propose(request: access.DeskRequest, run_id: int) -> HttpResponse:
    """Propose a canary of a shadow run's candidate."""
    run = get_object_or_404(ShadowRun, pk=run_id)
    form = CanaryForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Choose a share above 0 and at most 50 percent."))
        return redirect("shadow-run", run.pk)
    share = form.cleaned_data["percent"] / 100
    return _done(
        request,
        run.pk,
        lambda: canary.propose(shadow_id=run.pk, share=share, actor=request.user, at=timezone.now()),
    )


@require_POST
@access.leads
def confirm(request: access.DeskRequest, canary_id: int) -> HttpResponse:
    """Let the candidate decide, as the second person."""
    row = get_object_or_404(CanaryRun, pk=canary_id)
    return _done(
        request,
        row.shadow_id,
        lambda: canary.confirm(canary_id=row.pk, actor=request.user, at=timezone.now()),
    )


@require_POST
@access.leads
def stop(request: access.DeskRequest, canary_id: int) -> HttpResponse:
    """End a canary, or refuse a proposed one."""
    row = get_object_or_404(CanaryRun, pk=canary_id)
    return _done(
        request, row.shadow_id, lambda: canary.stop(canary_id=row.pk, actor=request.user, at=timezone.now())
    )


def rows(stored: Sequence[dict[str, Any]]) -> list[tuple[str, str, str, bool]]:
    """Return the stored figures in words: name, live, candidate, whether it is certainly worse."""
    names = {
        "precision": _("Removed posts that are spam"),
        "missed": _("Spam among posts let through"),
        "taken_back": _("Removals that people took back"),
    }

    def told(one: dict[str, Any]) -> str:
        return shares.estimate(one["value"], one["low"], one["high"], one["labels"])

    return [
        (names.get(row["name"], row["name"]), told(row["live"]), told(row["candidate"]), row["is_worse"])
        for row in stored
    ]


def _done(request: access.DeskRequest, run_id: int, act: Callable[[], object]) -> HttpResponse:
    try:
        act()
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    except canary.UNUSABLE as refusal:
        reason = str(refusal) or type(refusal).__name__
        messages.warning(request, _("This candidate cannot score here: %(reason)s") % {"reason": reason})
    return redirect("shadow-run", run_id)
