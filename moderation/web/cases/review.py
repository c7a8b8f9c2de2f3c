"""The review page. Actions on it are in `review_actions`."""

from datetime import datetime

from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.utils import timezone

from moderation.queries.cases import case_context, case_pages
from moderation.web import access
from moderation.web.cases import current_case, event_lanes, evidence, working_filter


@access.deciders.get
def idle(request: access.DeskRequest) -> HttpResponse:
    """Show the review page without a case: counts of the queue, and how to start."""
    at = timezone.now()
    return _page(request, current_case.idle_context(request, at=at), at=at)


@access.readers.get
def case(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Show a case; some users may only read it."""
    at = timezone.now()
    return _page(request, current_case.context(request, case_id, at=at), at=at)


@access.readers.get
def text(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Show the post's whole text; `?part` asks for its beginning, 204 while that is not explained yet."""
    page = case_pages.case_page(case_id=case_id, viewer=request.user, at=timezone.now())
    is_whole = "part" not in request.GET
    if not is_whole and page.is_being_explained:
        return HttpResponse(status=204)
    segments = evidence.text_segments(page, is_whole=is_whole)
    context = {"page": page, "segments": segments, "is_whole": is_whole}
    return render(request, "cases/_text.html" if request.htmx else "cases/whole_text.html", context)


@access.deciders.get
def context(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Show the context of the post on one time axis."""
    at = timezone.now()
    page = case_pages.case_page(case_id=case_id, viewer=request.user, at=at)
    lanes = case_context.lanes(case=page.case, viewer=request.user, is_blind=page.is_score_hidden)
    picture = event_lanes.picture(lanes, at=at)
    return render(request, "cases/_context.html", {"page": page, "picture": picture, "at": at})


@access.deciders.get
def token(request: access.DeskRequest) -> HttpResponse:
    """Give a page older than its session the new CSRF token, so that its actions still work."""
    return HttpResponse(get_token(request), content_type="text/plain")


def _page(request: access.DeskRequest, found: dict[str, object], *, at: datetime) -> HttpResponse:
    beside = {"section": "queue", "working": working_filter.shown(request, at=at)}
    last = current_case.last_context(request, at=at)
    return render(request, "cases/review.html", found | last | beside)
