"""Random labels: balance of each platform's labels, its audit share, and draws."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation.models import Platform, Release
from moderation.models.platforms import Reconsidering
from moderation.operations.accounts import platforms
from moderation.operations.labels import draws
from moderation.queries.labels import label_balance
from moderation.queries.labels.label_balance import ENOUGH_FOR_ROUTES
from moderation.web import access, quantities
from moderation.web.labels.label_warnings import words
from moderation.web.quantities import count, percent


class DrawForm(forms.Form):
    """How many posts to draw, of how many days; the page names the request."""

    posts = forms.IntegerField()
    days = forms.IntegerField()
    idempotency_key = forms.UUIDField(required=False)


class SamplingForm(forms.Form):
    """Limits of a platform's audit sample, and its settings for histories and reconsideration."""

    first_percent = forms.IntegerField(min_value=0, max_value=100, required=False)
    cases_per_day = forms.IntegerField(min_value=1, max_value=100_000)
    reconsiders = forms.ChoiceField(choices=Reconsidering.choices)
    shares_histories = forms.BooleanField(required=False)

    def chosen(self) -> dict[str, Any]:
        """Return the choices as `platforms.sample` takes them. Call after `is_valid`."""
        percent = self.cleaned_data["first_percent"]
        return {
            "first_share": None if percent is None else percent / 100,
            "cases_per_day": self.cleaned_data["cases_per_day"],
            "reconsiders": Reconsidering(self.cleaned_data["reconsiders"]),
            "shares_histories": self.cleaned_data["shares_histories"],
        }


@access.exporters.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show every platform's labels, share and draws; htmx asks again for the inner part."""
    template = "labels/labels.html#platforms" if request.htmx else "labels/labels.html"
    return render(request, template, _context(request))


@access.exporters.post
def draw(request: access.DeskRequest, platform_id: int) -> HttpResponse:
    """Draw random posts of a platform into the queue."""
    platform = get_object_or_404(Platform, pk=platform_id)
    form = DrawForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Enter whole numbers: how many posts, from how many days."))
        return redirect("labels")
    with access.refusals_told(request):
        result = draws.ask(platform=platform, **form.cleaned_data, asked_by=request.user, at=timezone.now())
        message = ngettext(
            "%(number)s post drawn and added to the queue.",
            "%(number)s posts drawn and added to the queue.",
            result.drawn,
        )
        messages.success(request, message % {"number": quantities.count(result.drawn)})
    return redirect("labels")


@access.exporters.post
def cancel(request: access.DeskRequest, draw_id: int) -> HttpResponse:
    """Cancel a draw: its undecided posts leave the queue."""
    with access.refusals_told(request):
        draws.cancel(draw_id=draw_id, cancelled_by=request.user, at=timezone.now())
        messages.success(request, _("Cancelled. Decided posts stay decided."))
    return redirect("labels")


@access.leads.post
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
        "section": "models",
        "at": at,
        "form": form,
        "wrong": of,
        "rows": [
            {
                "row": row,
                "findings": [words(finding) for finding in row.findings],
                "key": uuid.uuid4(),
                "head": _model(release, row.platform.slug),
                "routes": _routes(release, row.platform.slug),
            }
            for row in rows
        ],
        "reconsidering": Reconsidering.choices,
        "may_bound": request.user.may_lead,
    }


def _model(release: Release, platform: str) -> str:
    """Return whether the platform has a head of its own, and what it was fitted on."""
    about = (release.manifest.get("heads") or {}).get(platform)
    if not about:
        return _("shared")
    fitted = about["fitted_on"].get(platform, {})
    sentence = _(
        "the platform's own on top of the shared one, trained on %(posts)s decisions, %(spam)s of them spam"
    )
    return sentence % {"posts": count(fitted.get("posts", 0)), "spam": count(fitted.get("spam", 0))}


def _routes(release: Release, platform: str) -> str:
    """Return which curve and thresholds route the platform's posts, and what they were chosen on."""
    thresholds = release.thresholds_on(platform)
    if not {"review_from", "remove_from"} <= thresholds.keys():
        return ""
    numbers = {
        "review": percent(thresholds["review_from"]),
        "remove": percent(thresholds["remove_from"]),
        "enough": count(ENOUGH_FOR_ROUTES),
    }
    own = release.own_routes(platform)
    if own:
        numbers["random"] = count(own["chosen_on"]["random"])
        sentence = _(
            "review from %(review)s, removal from %(remove)s, based on %(random)s random labels of "
            "this platform"
        )
    else:
        sentence = _(
            "review from %(review)s, removal from %(remove)s (default); own thresholds from "
            "%(enough)s random labels on"
        )
    return sentence % numbers
