"""The first shift of a new moderator: its start, and its result, which leads read too."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from moderation.models import User
from moderation.queries.accounts import reasons
from moderation.queries.cases import first_shift
from moderation.web import access
from moderation.web.cases import review_actions, working_filter


@access.deciders.post
def start(request: access.DeskRequest) -> HttpResponse:
    """Begin the first shift, or go on with it."""
    at = timezone.now()
    shift = first_shift.of(user=request.user, at=at)
    if shift is None or not shift.is_offered:
        return redirect("queue")
    working_filter.begin_first_shift(request, at=at)
    return review_actions.following(request)


@access.deciders.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the result of one's own first shift; to leads, that of the person whom the address names."""
    at, named = timezone.now(), request.GET.get("of", "")
    is_own = not (request.user.may_lead and named.isdecimal())
    person = request.user if is_own else User.objects.get(pk=int(named[:18]))
    rows = list(first_shift.results(user=person, at=at))
    context = {
        "section": "queue" if is_own else "quality",
        "person": person,
        "is_own": is_own,
        "shift": first_shift.of(user=person, at=at),
        "rows": rows,
        "right": sum(row.golden is not None and row.verdict == row.golden.verdict for row in rows),
        "titles": {reason.code: reason.shown_title for reason in reasons.ever()},
    }
    return render(request, "cases/first_shift.html", context)
