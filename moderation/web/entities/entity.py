"""What the pages of an author, a domain and an address have in common: figures, history, posts, rules."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import render

from moderation.queries import search
from moderation.queries.entities.addresses import AddressFacts
from moderation.queries.entities.authors import AuthorFacts
from moderation.queries.entities.domains import DomainFacts
from moderation.queries.search import PostFilter
from moderation.web import access
from moderation.web.entities import timeline
from moderation.web.rules import RuleForm

_POSTS = 25


def page(
    request: access.DeskRequest,
    template: str,
    context: Mapping[str, object],
    *,
    facts: AuthorFacts | DomainFacts | AddressFacts,
    wanted: PostFilter,
    at: datetime,
) -> HttpResponse:
    """Render the page with its posts; `context` is what only this page has."""
    cursor = request.GET.get("cursor", "")
    posts = search.posts(wanted=wanted, viewer=request.user, cursor=cursor, limit=_POSTS)
    shared: dict[str, object] = {
        "at": at,
        "facts": facts,
        "target": facts.target,
        "figures": facts.figures,
        "chart": timeline.chart(facts.timeline, at=at),
        "rules": facts.rules,
        "live_rule": facts.live_rule,
        "form": RuleForm(),
        "page": posts,
        "query": "",
    }
    return render(request, template, {**shared, **context})
