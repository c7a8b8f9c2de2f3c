"""The queue page."""

from django.http import HttpResponse
from django.utils import timezone

from moderation.queries import case_access
from moderation.queries.cases import backlog, first_shift, named_queues, queue
from moderation.web import access
from moderation.web.cases import bulk, working_filter
from moderation.web.cases.working_filter import SORTS, QueueFilterForm
from moderation.web.lists import list_pages


@access.deciders.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the queue, or for htmx only its rows."""
    at = timezone.now()
    case_filter = working_filter.filter_of(request.GET)
    cursor = request.GET.get("cursor", "")
    rows = queue.rows(viewer=request.user, wanted=case_filter, at=at, cursor=cursor)
    context = {
        "section": "queue",
        "at": at,
        "page": rows,
        "wanted": case_filter,
        "is_later": "cursor" in request.GET,
        "may_hide": case_filter.hides_automated or any(row.automated_complaints for row in rows.rows),
    }
    if not (request.htmx and cursor):
        context["overview"] = backlog.overview(viewer=request.user, at=at, wanted=case_filter)
        context["is_hiding"] = case_access.are_hidden()
    form = QueueFilterForm(request.GET)
    if not request.htmx:
        context |= bulk.context()
        context["first_shift"] = first_shift.of(user=request.user, at=at)
        context["sorts"] = SORTS
        context["queues"] = named_queues.open_to(request.user, at=at)
        context["queue_id"] = request.GET.get("queue", "")
        context["policies"] = form.offered("policy")
    return list_pages.answer(request, "cases/queue.html", context, form=form)
