"""Actions that await a second person: confirm or refuse them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.operations.decisions import actions
from moderation.operations.webhooks import caller
from moderation.queries.decisions import actions as waiting_actions
from moderation.web import access


@access.leads.get
def page(request: access.DeskRequest) -> HttpResponse:
    """List what awaits the reader."""
    waiting = waiting_actions.waiting(request.user)
    platforms = {row.decision.post.platform for row, number in waiting}
    final = {(platform.pk, action) for platform in platforms for action in caller.final_actions(platform)}
    context = {
        "section": "search",
        "at": timezone.now(),
        "waiting": [
            (row, number, (row.decision.post.platform_id, row.action) in final) for row, number in waiting
        ],
    }
    return render(request, "decisions/actions.html", context)


@access.leads.post
def answer(request: access.DeskRequest, decision_id: int) -> HttpResponse:
    """Confirm or refuse the action of a decision, and of those made with it."""
    is_confirmed = access.chosen(request, "answer", {"confirm": True, "refuse": False})
    with access.refusals_told(request):
        actions.answer(
            decision_id=decision_id, is_confirmed=is_confirmed, user=request.user, at=timezone.now()
        )
        told = _("Confirmed. The platform is told.") if is_confirmed else _("Refused. The verdict stands.")
        messages.success(request, told)
    return redirect("actions")
