"""Random labels: balance of each platform's labels, its audit share, and draws."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from moderation.models import LabelDraw, Platform
from moderation.models.platforms import Reconsidering
from moderation.operations.accounts import platforms
from moderation.operations.labels import draws
from moderation.queries.labels import label_balance
from moderation.web import access, platform_models, quantities
from moderation.web.labels.label_forms import DrawForm, SamplingForm
from moderation.web.labels.label_warnings import words


@require_safe
@access.exporters
def page(request: access.DeskRequest) -> HttpResponse:
    """Show every platform's labels, share and draws; htmx asks again for the inner part."""
    template = "labels/labels.html#platforms" if request.htmx else "labels/labels.html"
    return render(request, template, _context(request))


@require_http_methods(["POST"])
@access.exporters
def draw(request: access.DeskRequest, platform_id: int) -> HttpResponse:
    """Draw random posts of a platform into the queue."""
    platform = get_object_or_404(Platform, pk=platform_id)
    form = DrawForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Enter whole numbers: how many posts, from how many days."))
        return redirect("labels")
    with access.refusals_told(request):
        made = draws.ask(platform=platform, **form.cleaned_data, asked_by=request.user, at=timezone.now())
        told = ngettext(
            "%(number)s post drawn and added to the queue.",
            "%(number)s posts drawn and added to the queue.",
            made.drawn,
        )
        messages.success(request, told % {"number": quantities.count(made.drawn)})
    return redirect("labels")


@require_POST
@access.exporters
def cancel(request: access.DeskRequest, draw_id: int) -> HttpResponse:
    """Cancel a draw: its undecided posts leave the queue."""
    get_object_or_404(LabelDraw, pk=draw_id)
    with access.refusals_told(request):
        draws.cancel(draw_id=draw_id, cancelled_by=request.user, at=timezone.now())
        messages.success(request, _("Cancelled. Decided posts stay decided."))
    return redirect("labels")


@require_POST
@access.leads
def settings(request: access.DeskRequest, platform_id: int) -> HttpResponse:
    """Save a platform's audit sample limits and its reconsideration setting."""
    platform = get_object_or_404(Platform, pk=platform_id)
    form = SamplingForm(request.POST)
    if form.is_valid():
        platforms.sample(platform_id=platform.pk, **form.chosen(), actor=request.user, at=timezone.now())
        messages.success(request, _("Saved."))
        return redirect("labels")
    return render(request, "labels/labels.html", _context(request, form=form, of=platform), status=422)


def _context(
    request: access.DeskRequest, *, form: SamplingForm | None = None, of: Platform | None = None
) -> dict[str, object]:
    at = timezone.now()
    release = label_balance.live_release()
    rows = label_balance.sampling(floor=label_balance.audit_rate(release), at=at)
    return {
        "section": "labels",
        "at": at,
        "form": form,
        "wrong": of,
        "rows": [
            {
                "row": row,
                "findings": [words(finding) for finding in row.findings],
                "key": uuid.uuid4(),
                "head": platform_models.head(release, row.platform.slug),
                "routes": platform_models.routes(release, row.platform.slug),
            }
            for row in rows
        ],
        "reconsidering": Reconsidering.choices,
        "may_bound": request.user.may_lead,
    }
