"""The page of an address, or of a range of addresses."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.queries import search
from moderation.queries.entities import addresses
from moderation.queries.keyset import InvalidCursor
from moderation.queries.rules.targets import NotATarget
from moderation.queries.search import PostFilter
from moderation.web import access
from moderation.web.entities import timeline
from moderation.web.rules import RuleForm


@require_safe
@access.deciders
def address(request: access.DeskRequest, address: str) -> HttpResponse:
    """Show what came from an address or range, and the rules about it."""
    at = timezone.now()
    try:
        facts = addresses.facts(address=address, at=at)
        if facts.target.value != address:
            return redirect("address", address=facts.target.value)
        posts = search.posts(
            wanted=PostFilter(address=facts.target.value),
            viewer=request.user,
            cursor=request.GET.get("cursor", ""),
            limit=25,
        )
    except (NotATarget, InvalidCursor) as refusal:
        raise Http404(str(refusal)) from refusal
    context = {
        "section": "posts",
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
    return render(request, "entities/address.html", context)
