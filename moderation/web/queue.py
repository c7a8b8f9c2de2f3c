"""The queue page."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.queries import queue
from moderation.queries.queue import QueueFilter
from moderation.web import access
from moderation.web.forms import QueueFilterForm


@require_safe
@access.deciders
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the queue, or for htmx only its rows."""
    at = timezone.now()
    form = QueueFilterForm(request.GET)
    form.is_valid()
    wanted = QueueFilter(
        **{name: form.cleaned_data.get(name, "") for name in ("reason", "language", "domain")}
    )
    try:
        found = queue.rows(viewer=request.user, wanted=wanted, at=at, cursor=request.GET.get("cursor", ""))
    except queue.InvalidCursor as refusal:
        raise Http404(str(refusal)) from refusal
    context = {
        "section": "queue",
        "at": at,
        "page": found,
        "wanted": wanted,
        "is_later": "cursor" in request.GET,
    }
    if request.htmx:
        return render(request, "queue.html#rows", context)
    context["overview"] = queue.overview(viewer=request.user, at=at)
    context["languages"] = queue.languages(viewer=request.user)
    return render(request, "queue.html", context)
