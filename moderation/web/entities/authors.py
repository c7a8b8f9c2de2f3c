"""The list of authors and an author's page."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.models import Author
from moderation.models.filters import FilterPage
from moderation.queries import search
from moderation.queries.entities import authors
from moderation.queries.keyset import InvalidCursor
from moderation.queries.search import PostFilter
from moderation.web import access
from moderation.web.entities import timeline
from moderation.web.posts import saved_filters
from moderation.web.posts.search_forms import AUTHOR_STATES, AuthorFilterForm
from moderation.web.rules import RuleForm


@require_safe
@access.deciders
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the authors that match, the newest first, or for htmx only the rows."""
    wanted = AuthorFilterForm(request.GET).wanted()
    try:
        found = authors.page(wanted=wanted, cursor=request.GET.get("cursor", ""))
    except InvalidCursor as refusal:
        raise Http404(str(refusal)) from refusal
    context = {
        "section": "authors",
        "at": timezone.now(),
        "page": found,
        "wanted": wanted,
        "states": AUTHOR_STATES,
        "query": saved_filters.query_of(request.GET, saved_filters.NAMES[FilterPage.AUTHORS]),
    }
    if request.htmx:
        return render(request, "entities/authors.html#rows", context)
    return render(
        request, "entities/authors.html", context | saved_filters.context(request, FilterPage.AUTHORS)
    )


@require_safe
@access.deciders
def author(request: access.DeskRequest, author_id: int) -> HttpResponse:
    """Show one author: what they posted, what became of it, which domains and addresses they used."""
    at = timezone.now()
    try:
        facts = authors.facts(author_id=author_id, at=at)
        posts = search.posts(
            wanted=PostFilter(author_id=author_id),
            viewer=request.user,
            cursor=request.GET.get("cursor", ""),
            limit=25,
        )
    except (Author.DoesNotExist, InvalidCursor) as refusal:
        raise Http404 from refusal
    context = {
        "section": "authors",
        "at": at,
        "facts": facts,
        "figures": facts.figures,
        "chart": timeline.chart(facts.timeline, at=at),
        "rules": facts.rules,
        "live_rule": facts.live_rule,
        "target": facts.target,
        "form": RuleForm(),
        "page": posts,
        "query": "",
    }
    return render(request, "entities/author.html", context)
