"""The list of posts: search, filters, and links to related pages."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.queries import search
from moderation.queries.campaigns import campaign_names
from moderation.queries.policies import policy_pages
from moderation.web import access
from moderation.web.cases import bulk
from moderation.web.lists import list_pages
from moderation.web.middleware.standby_reads import may_be_behind
from moderation.web.posts.post_filters import PostFilterForm


@require_safe
@access.readers
@may_be_behind
def posts(request: access.DeskRequest) -> HttpResponse:
    """Show the posts that match, the newest first, or for htmx only the rows."""
    form = PostFilterForm(request.GET)
    wanted = form.wanted()
    if (only := search.only_post(wanted)) is not None:
        return _to_post(request, only)
    at = timezone.now()
    offered = form.offered("policy")
    with list_pages.cursor_or_404():
        found = search.posts(wanted=wanted, viewer=request.user, cursor=request.GET.get("cursor", ""))
    context = {
        "section": "posts",
        "at": at,
        "page": found,
        "campaigns": campaign_names.of_posts(found.rows),
        "offered": offered,
        # Without a policy there is nothing that posts could match.
        "policies": policy_pages.of_posts([row.post_id for row in found.rows], at=at) if offered[1:] else {},
    }
    if not request.htmx:
        context |= bulk.context()
    return list_pages.answer(request, "posts/posts.html", context, form=form)


def _to_post(request: access.DeskRequest, post_id: int) -> HttpResponse:
    """Redirect to the post whose id was searched for."""
    if request.htmx:
        return HttpResponse(headers={"HX-Redirect": reverse("post", args=[post_id])})
    return redirect("post", post_id=post_id)
