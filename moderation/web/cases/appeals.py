"""The appeals of platforms, for leads."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from moderation.queries.cases import appeal_pages
from moderation.queries.cases.appeal_pages import AppealState
from moderation.web import access
from moderation.web.lists import list_pages


@access.leads.get
def page(request: access.DeskRequest) -> HttpResponse:
    """List the appeals, by default the open ones."""
    state = list_pages.state_named(request, usual=AppealState.WAITING)
    appeals = appeal_pages.page(state=state, cursor=request.GET.get("cursor", ""))
    context = {
        "section": "queue",
        "at": timezone.now(),
        "state": state,
        "query": f"state={state}",
        "page": appeals,
        "counts": appeal_pages.counts(),
    }
    return render(request, "cases/appeals.html", context)
