"""Filters of lists: shared by URL, saved under a name."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from moderation.models.saved_filters import FilterPage
from moderation.operations.accounts import saved_filters
from moderation.queries.accounts import saved_filters as saved
from moderation.web import access
from moderation.web.posts.search_forms import KeepFilterForm

# The filters of each list: what else stands in an address is dropped before it is kept or continued.
NAMES = {
    FilterPage.QUEUE: ("queue", "reason", "language", "domain", "campaign", "age", "sort"),
    FilterPage.POSTS: ("q", "answers_to", "state", "language", "domain", "address", "since", "until"),
    FilterPage.AUTHORS: ("q", "state"),
    FilterPage.DOMAINS: ("q", "which"),
    FilterPage.DECISIONS: ("q", "verdict", "whose", "reason", "since", "until"),
}


def context(request: access.DeskRequest, page: FilterPage) -> dict[str, object]:
    """Return what `posts/_saved_filters.html` needs: the query without its cursor, and saved filters."""
    return {
        "query": query_of(request.GET, NAMES[page]),
        "filter_page": page.value,
        "kept": saved.kept(user=request.user, page=page),
    }


def query_of(given: QueryDict, names: Iterable[str]) -> str:
    """Return the query string of the named filters that are set."""
    wanted = QueryDict(mutable=True)
    for name in names:
        if value := given.get(name, "").strip():
            wanted[name] = value
    return wanted.urlencode()


@require_POST
@access.signed_in
def keep(request: access.DeskRequest) -> HttpResponse:
    """Save a list's filters under a name."""
    form = KeepFilterForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Give the filter a name of at most 60 characters."))
        return redirect("home")
    page = FilterPage(form.cleaned_data["page"])
    query = query_of(QueryDict(form.cleaned_data["query"].removeprefix("?")), NAMES[page])
    try:
        saved_filters.keep(
            user=request.user, page=page, name=form.cleaned_data["name"], query=query, at=timezone.now()
        )
    except saved_filters.TooMany:
        messages.warning(
            request,
            _("You have the maximum of %(most)d filters here. Delete one first.")
            % {"most": saved_filters.MOST},
        )
    return redirect(f"{reverse(page.value)}?{query}")


@require_POST
@access.signed_in
def forget(request: access.DeskRequest, filter_id: int) -> HttpResponse:
    """Delete one of the user's own filters."""
    saved_filters.forget(user=request.user, filter_id=filter_id)
    page = request.POST.get("page", "")
    return redirect(page if page in FilterPage.values else "home")
