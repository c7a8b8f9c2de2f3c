"""What the pages of an author, a domain and an address have in common: figures, history, posts, rules."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from django.http import HttpResponse
from django.shortcuts import render

from moderation.models import Rule
from moderation.queries import search
from moderation.queries.entities.timeline import Timeline
from moderation.queries.outcome_counts import Figures
from moderation.queries.rules.targets import Target
from moderation.queries.search import PostFilter
from moderation.web import access
from moderation.web.entities import timeline
from moderation.web.lists import list_pages
from moderation.web.rules import RuleForm

_POSTS = 25


class Facts(Protocol):
    """What is known of one of them; no target where a rule can no longer name it."""

    @property
    def target(self) -> Target | None:
        """What a rule would be about."""

    @property
    def figures(self) -> Figures:
        """Counts of its posts."""

    @property
    def timeline(self) -> Timeline:
        """What happened when."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Every rule about it."""

    @property
    def live_rule(self) -> Rule | None:
        """The rule in force."""


def page(
    request: access.DeskRequest,
    template: str,
    context: dict[str, object],
    *,
    facts: Facts,
    wanted: PostFilter,
    at: datetime,
) -> HttpResponse:
    """Render the page with its posts; `context` is what only this page has."""
    with list_pages.cursor_or_404():
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
    return render(request, template, shared | context)
