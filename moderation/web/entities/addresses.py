"""The page of an address, or of a range of addresses."""

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from moderation.queries.entities import addresses
from moderation.queries.rules.targets import NotATarget
from moderation.queries.search import PostFilter
from moderation.web import access
from moderation.web.entities import entity


@access.address_readers.get
def address(request: access.DeskRequest, address: str) -> HttpResponse:
    """Show what came from an address or range, and the rules about it."""
    at = timezone.now()
    try:
        facts = addresses.facts(address=address, viewer=request.user, at=at)
    except NotATarget as refusal:
        raise Http404(str(refusal)) from refusal
    if facts.target.value != address:
        # One address for one network: 203.0.113.7/24 and 2001:DB8:0::1 would be pages, rules and caches of
        # their own.
        return redirect("address", address=facts.target.value)
    post_filter = PostFilter(address=facts.target.value)
    more = {"section": "search"}
    return entity.page(request, "entities/address.html", more, facts=facts, wanted=post_filter, at=at)
