"""The health page: what is up, how long the backlogs are. Probes for machines stand beside the settings."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from moderation.operations import probe
from moderation.operations.probe import Part
from moderation.queries import health
from moderation.web import access

_NAMES_AND_MEANINGS = {
    Part.DATABASE: ("PostgreSQL", _("nothing works")),
    Part.BROKER: (_("Broker"), _("scoring and deliveries wait; nothing is lost")),
    Part.WORKERS: (_("Workers"), _("posts wait unscored; nothing is lost")),
    Part.TRITON: ("Triton", _("posts are scored without their text and go to humans")),
}


@require_safe
@access.signed_in
def page(request: access.DeskRequest) -> HttpResponse:
    """Show services and backlogs; htmx asks again for the inner part."""
    at = timezone.now()
    answers = probe.ask(list(_NAMES_AND_MEANINGS))
    context = {
        "section": "health",
        "at": at,
        "services": [(*_NAMES_AND_MEANINGS[answer.part], answer) for answer in answers],
        "is_all_up": all(answer.is_up for answer in answers),
        "backlogs": [(backlog, backlog.is_late(at=at)) for backlog in health.backlogs(at=at)],
    }
    return render(request, "health.html#state" if request.htmx else "health.html", context)
