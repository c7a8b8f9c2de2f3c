"""The list of domains and a domain's page."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.models import Domain
from moderation.models.filters import FilterPage
from moderation.queries import search
from moderation.queries.entities import domains
from moderation.queries.keyset import InvalidCursor
from moderation.queries.search import PostFilter
from moderation.web import access
from moderation.web.entities import timeline
from moderation.web.posts import saved_filters
from moderation.web.posts.search_forms import DomainFilterForm
from moderation.web.rules import RuleForm


@require_safe
@access.deciders
def page(request: access.DeskRequest) -> HttpResponse:
    """List domains: the most posted ones, those that match a search, or the banned ones."""
    at = timezone.now()
    form = DomainFilterForm(request.GET)
    text, which = form.given("q"), form.given("which")
    try:
        found = domains.page(text=text, which=which, cursor=request.GET.get("cursor", ""), at=at)
    except InvalidCursor as refusal:
        raise Http404(str(refusal)) from refusal
    context = {
        "section": "domains",
        "at": at,
        "text": text,
        "which": which,
        "page": found,
        "query": saved_filters.query_of(request.GET, saved_filters.NAMES[FilterPage.DOMAINS]),
    }
    if request.htmx:
        return render(request, "entities/domains.html#rows", context)
    return render(
        request, "entities/domains.html", context | saved_filters.context(request, FilterPage.DOMAINS)
    )


@require_safe
@access.deciders
def domain(request: access.DeskRequest, name: str) -> HttpResponse:
    """Show one domain: its posts, its hosts, what a rule would have hit, and the rules so far."""
    at = timezone.now()
    try:
        facts = domains.facts(name=name, at=at)
        posts = search.posts(
            wanted=PostFilter(domain=facts.target.domain),
            viewer=request.user,
            cursor=request.GET.get("cursor", ""),
            limit=25,
        )
    except (Domain.DoesNotExist, InvalidCursor) as refusal:
        raise Http404 from refusal
    context = {
        "section": "domains",
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
    return render(request, "entities/domain.html", context)
