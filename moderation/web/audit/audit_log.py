"""The audit log, for leads and administrators."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.models import AuditEntry
from moderation.queries.audit import audit_pages
from moderation.web import access
from moderation.web.audit.audit_actions import ACTIONS
from moderation.web.audit.audit_filters import AuditFilterForm
from moderation.web.lists import list_pages

_LONGEST_DETAILS = 300


@require_safe
@access.leads
def page(request: access.DeskRequest) -> HttpResponse:
    """Show who did what when, and the state of the chain; for htmx only the rows."""
    form = AuditFilterForm(request.GET)
    with list_pages.cursor_or_404():
        found = audit_pages.page(wanted=form.wanted(), cursor=request.GET.get("cursor", ""))
    context = {
        "section": "today",
        "lead_page": "audit",
        "at": timezone.now(),
        "lines": [(line, ACTIONS.get(line.entry.action, ""), _details(line.entry)) for line in found.rows],
        "page": found,
    }
    if not request.htmx:
        context["chain"] = audit_pages.chain_state()
    return list_pages.answer(request, "audit/audit.html", context, form=form)


def _details(entry: AuditEntry) -> str:
    """Return what an entry tells besides, as one line."""
    told = ", ".join(f"{name}: {value}" for name, value in entry.details.items() if value not in (None, ""))
    return told if len(told) <= _LONGEST_DETAILS else f"{told[:_LONGEST_DETAILS]}…"
