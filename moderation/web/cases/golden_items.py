"""Golden items, for leads: marking, confirming and retiring them, and people's results."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models import Post
from moderation.operations.cases import golden_items as operations
from moderation.queries.cases import golden_items
from moderation.queries.cases.golden_items import GoldenState
from moderation.web import access
from moderation.web.lists import list_pages


class GoldenForm(forms.Form):
    """Why the verdict is right."""

    note = forms.CharField(max_length=500, required=False, strip=True)


@access.leads.get
def page(request: access.DeskRequest) -> HttpResponse:
    """List the golden items, by default those in use, and everybody's results by name."""
    at, state = timezone.now(), list_pages.state_named(request, usual=GoldenState.USED)
    items = golden_items.page(state=state, cursor=request.GET.get("cursor", ""))
    context = {
        "section": "quality",
        "at": at,
        "state": state,
        "query": f"state={state}",
        "page": items,
        "results": golden_items.results(at=at),
        "until": golden_items.week_start(at),
        "fewest": golden_items.FEWEST_ANSWERS,
        "days": golden_items.LASTS.days,
    }
    return render(request, "cases/golden_items.html", context)


@access.leads.post
def mark(request: access.DeskRequest, post_id: int) -> HttpResponse:
    """Mark a decided post as a golden item."""
    form = GoldenForm(request.POST)
    note = form.cleaned_data["note"] if form.is_valid() else ""
    get_object_or_404(Post, pk=post_id)
    with access.refusals_told(request, done=_("Marked. Another lead has to confirm it.")):
        operations.mark(post_id=post_id, lead=request.user, note=note, at=timezone.now())
    return redirect("post", post_id=post_id)


@access.leads.post
def confirm(request: access.DeskRequest, item_id: int) -> HttpResponse:
    """Confirm what another lead marked."""
    with access.refusals_told(request, done=_("Confirmed. It is given out among blind reviews.")):
        operations.confirm(item_id=item_id, lead=request.user, at=timezone.now())
    return redirect("golden-items")


@access.leads.post
def retire(request: access.DeskRequest, item_id: int) -> HttpResponse:
    """Retire an item; with `wrong`, its answers do not count."""
    operations.retire(item_id=item_id, lead=request.user, is_wrong="wrong" in request.POST, at=timezone.now())
    messages.success(request, _("Retired."))
    return redirect("golden-items")
