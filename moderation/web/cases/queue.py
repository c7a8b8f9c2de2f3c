"""The queue page."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.models.filters import FilterPage
from moderation.queries.cases import backlog, queue
from moderation.queries.keyset import InvalidCursor
from moderation.web import access
from moderation.web.posts import saved_filters
from moderation.web.posts.search_forms import SORTS, QueueFilterForm

# More than one screen at a glance; each row more costs the page half a millisecond.
_ROWS = 30


@require_safe
@access.deciders
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the queue, or for htmx only its rows."""
    at = timezone.now()
    wanted = QueueFilterForm(request.GET).wanted()
    try:
        cursor = request.GET.get("cursor", "")
        found = queue.rows(viewer=request.user, wanted=wanted, at=at, cursor=cursor, limit=_ROWS)
    except InvalidCursor as refusal:
        raise Http404(str(refusal)) from refusal
    context = {
        "section": "queue",
        "at": at,
        "page": found,
        "wanted": wanted,
        "is_later": "cursor" in request.GET,
        "query": saved_filters.query_of(request.GET, saved_filters.NAMES[FilterPage.QUEUE]),
    }
    if request.htmx:
        return render(request, "cases/queue.html#rows", context)
    context |= saved_filters.context(request, FilterPage.QUEUE)
    context["sorts"] = SORTS
    context["overview"] = backlog.overview(viewer=request.user, at=at)
    return render(request, "cases/queue.html", context)
