"""Random labels: balance of each platform's labels, its audit share, and draws."""

import uuid

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation.models import Platform, Release
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


@access.exporters.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show every platform's labels, share and draws; htmx asks again for the inner part."""
    template = "labels/labels.html#platforms" if request.htmx else "labels/labels.html"
    return render(request, template, _context())


@access.exporters.post
def draw(request: access.DeskRequest, platform_id: int) -> HttpResponse:
    """Draw random posts of a platform into the queue."""
    platform = get_object_or_404(Platform, pk=platform_id)
    form = DrawForm(request.POST)
    with access.refusals_told(request):
        access.complete(form, _("Enter whole numbers: how many posts, from how many days."))
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
    with access.refusals_told(request, done=_("Cancelled. Decided posts stay decided.")):
        draws.cancel(draw_id=draw_id, cancelled_by=request.user, at=timezone.now())
    return redirect("labels")


def _context() -> dict[str, object]:
    at = timezone.now()
    release = label_balance.live_release()
    rows = label_balance.sampling(floor=label_balance.audit_rate(release), at=at)
    return {
        "section": "models",
        "at": at,
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
