"""Notes on cases that name the reader or their role."""

from __future__ import annotations

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from moderation.operations.cases import notes
from moderation.queries.cases import mention_pages
from moderation.queries.cases.mention_pages import MentionName
from moderation.web import access

_LONGEST = 150


@require_safe
@access.deciders
def page(request: access.DeskRequest) -> HttpResponse:
    """List the notes that wait for the reader, or with `?state=done` those that are done."""
    is_done = request.GET.get("state") == "done"
    state = "done" if is_done else "open"
    mentions = mention_pages.page(viewer=request.user, is_done=is_done, cursor=request.GET.get("cursor", ""))
    context = {
        "section": "mentions",
        "at": timezone.now(),
        "state": state,
        "query": f"state={state}",
        "page": mentions,
    }
    return render(request, "cases/mentions.html", context)


@require_safe
@access.deciders
def count(request: access.DeskRequest) -> HttpResponse:
    """Show the number of waiting notes, for the header of every page."""
    number = mention_pages.open_count(request.user)
    context = {"waiting": number, "is_more": number >= mention_pages.MOST_COUNTED}
    return render(request, "cases/_mention_count.html", context)


@require_safe
@access.deciders
def names(request: access.DeskRequest) -> HttpResponse:
    """Return the names that complete what was typed after an @, as JSON."""
    start = request.GET.get("start", "")[:_LONGEST]
    people = mention_pages.beginning(start, viewer=request.user)
    return JsonResponse({"names": [{"name": person.name, "told": _told(person)} for person in people]})


@require_POST
@access.deciders
def done(request: access.DeskRequest, mention_id: int) -> HttpResponse:
    """Mark a note as done."""
    notes.settle(mention_id=mention_id, by=request.user, at=timezone.now())
    return redirect("mentions")


def _told(one: MentionName) -> str:
    return _("everyone with the role %(role)s") % {"role": one.told} if one.role else one.told
