"""Shadow runs: start, stop, comparison with the live release, disagreements to decide."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from moderation.models import ShadowRun, TrainingRun
from moderation.operations.learning import shadow
from moderation.queries.learning import shadow_pages
from moderation.web import access, quantities
from moderation.web.learning import shadow_words


class ShadowForm(forms.Form):
    """How many percent of posts a candidate scores."""

    percent = forms.FloatField(min_value=0.1, max_value=100)


class DisagreementsForm(forms.Form):
    """How many disagreements to draw."""

    posts = forms.IntegerField(min_value=1, max_value=shadow.MOST_POSTS)


@require_safe
@access.exporters
def page(request: access.DeskRequest, run_id: int) -> HttpResponse:
    """Show one run."""
    run = get_object_or_404(ShadowRun.objects.select_related("started_by", "stopped_by"), pk=run_id)
    cursor = request.GET.get("cursor", "")
    found = shadow_pages.disagreements(run, cursor=cursor)
    context = {
        "section": "models",
        "at": timezone.now(),
        "run": run,
        "progress": shadow_pages.progress_of([run])[run.pk],
        "backlog": shadow_pages.backlog(run),
        "figures": shadow_words.figures(run.figures),
        "estimated_at": parse_datetime(run.figures.get("estimated_at") or ""),
        "until": parse_datetime(run.figures.get("until") or ""),
        "most_posts": shadow.MOST_POSTS,
        "page": found,
        "rows": [(row, quantities.route(row.live_route), quantities.route(row.route)) for row in found.rows],
        "is_later": bool(cursor),
    }
    return render(request, "learning/shadow.html", context)


@require_POST
@access.exporters
def start(request: access.DeskRequest, run_id: int) -> HttpResponse:
    """Let the candidate of a training run score in shadow."""
    made = get_object_or_404(TrainingRun.objects.exclude(candidate=""), pk=run_id)
    form = ShadowForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Choose a share of 0.1 to 100 percent."))
        return redirect("models")
    share = form.cleaned_data["percent"] / 100
    try:
        with access.refusals_told(request):
            run = shadow.start(candidate=made.candidate, share=share, actor=request.user, at=timezone.now())
            return redirect("shadow-run", run.pk)
    except shadow.UNUSABLE as refusal:
        reason = str(refusal) or type(refusal).__name__
        messages.warning(request, _("This candidate cannot score here: %(reason)s") % {"reason": reason})
    return redirect("models")


@require_POST
@access.exporters
def stop(request: access.DeskRequest, run_id: int) -> HttpResponse:
    with access.refusals_told(request):
        shadow.stop(run_id=run_id, actor=request.user, at=timezone.now())
    return redirect("shadow-run", run_id)


@require_POST
@access.exporters
def draw(request: access.DeskRequest, run_id: int) -> HttpResponse:
    """Draw disagreements into the queue."""
    form = DisagreementsForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Enter 1 to %(posts)d posts.") % {"posts": shadow.MOST_POSTS})
        return redirect("shadow-run", run_id)
    with access.refusals_told(request):
        drawn = shadow.draw(run_id=run_id, **form.cleaned_data, actor=request.user, at=timezone.now())
        told = ngettext(
            "%(number)s post drawn and added to the queue.",
            "%(number)s posts drawn and added to the queue.",
            drawn,
        )
        messages.success(request, told % {"number": quantities.count(drawn)})
    return redirect("shadow-run", run_id)
