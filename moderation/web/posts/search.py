"""The list of posts: search, filters, and the way from a post to everything around it."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.models.filters import FilterPage
from moderation.queries import search
from moderation.queries.keyset import InvalidCursor
from moderation.web import access
from moderation.web.posts import saved_filters
from moderation.web.posts.search_forms import POST_STATES, PostFilterForm


@require_safe
@access.deciders
def posts(request: access.DeskRequest) -> HttpResponse:
    """Show the posts that match, the newest first, or for htmx only the rows."""
    form = PostFilterForm(request.GET)
    wanted = form.wanted()
    try:
        found = search.posts(wanted=wanted, viewer=request.user, cursor=request.GET.get("cursor", ""))
    except InvalidCursor as refusal:
        raise Http404(str(refusal)) from refusal
    context = {
        "section": "posts",
        "at": timezone.now(),
        "page": found,
        "wanted": wanted,
        "form": form,
        "states": POST_STATES,
        "query": saved_filters.query_of(request.GET, saved_filters.NAMES[FilterPage.POSTS]),
    }
    if request.htmx:
        return render(request, "posts/posts.html#rows", context)
    return render(request, "posts/posts.html", context | saved_filters.context(request, FilterPage.POSTS))
