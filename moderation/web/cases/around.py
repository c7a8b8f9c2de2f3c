"""What stands open around a case on a wide screen; a part of the review page, asked for after the case."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.models import Case
from moderation.queries.cases import around
from moderation.web import access
from moderation.web.cases import event_lanes


@require_safe
@access.deciders
def page(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Show the author's last posts, similar posts and lanes of time."""
    at = timezone.now()
    try:
        found = around.of(case_id=case_id, viewer=request.user, at=at)
    # 404 also for a case that exists but waits for a lead: a 403 would tell that it does.
    except Case.DoesNotExist as refusal:
        raise Http404("This case does not exist, or waits for a lead.") from refusal
    picture = event_lanes.picture(found.lanes, at=at)
    return render(request, "cases/_around.html", {"found": found, "picture": picture, "at": at})
