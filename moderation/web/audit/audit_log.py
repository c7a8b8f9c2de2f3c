"""The audit log, for leads and administrators."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.models import AuditEntry
from moderation.queries import audit
from moderation.queries.accounts import users
from moderation.queries.audit import AuditFilter
from moderation.queries.keyset import InvalidCursor
from moderation.web import access
from moderation.web.audit.audit_actions import ACTIONS
from moderation.web.posts import saved_filters

_SYSTEM = "system"
_NAMES = ("by", "action", "about", "since", "until")
_LONGEST_DETAILS = 300


class AuditFilterForm(forms.Form):
    """What of the log to show. What no filter knows is no filter."""

    by = forms.CharField(max_length=20, required=False)
    action = forms.CharField(max_length=40, required=False)
    about = forms.CharField(max_length=90, required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.is_valid()

    def wanted(self) -> AuditFilter:
        """Return the filter of the query string; `about` is a kind and an id, "case:12"."""
        by, about = self._given("by") or "", self._given("about") or ""
        kind, _, subject_id = about.partition(":")
        return AuditFilter(
            actor_id=int(by) if by.isdecimal() and int(by) < 2**63 else None,
            is_system=by == _SYSTEM,
            action=self._given("action") or "",
            subject_kind=kind,
            subject_id=subject_id,
            since=_start(self._given("since")),
            until=_start(self._given("until"), days=1),
        )

    @property
    def is_filtered(self) -> bool:
        """True where anything was chosen."""
        return any(self._given(name) for name in _NAMES)

    def people(self) -> list[tuple[str, str, bool]]:
        """Return id, name and whether it is chosen, of everybody."""
        chosen = self._given("by")
        found = [(str(user.pk), user.get_full_name() or user.username) for user in users.by_name()]
        return [(value, name, value == chosen) for value, name in found]

    def actions(self) -> list[tuple[str, str, bool]]:
        """Return code, words and whether it is chosen, of every act, by its words."""
        chosen = self._given("action")
        found = [(code, str(words), code == chosen) for code, words in ACTIONS.items()]
        return sorted(found, key=lambda one: one[1].casefold())

    def _given(self, name: str) -> Any:
        return self.cleaned_data.get(name)


@require_safe
@access.leads
def page(request: access.DeskRequest) -> HttpResponse:
    """Show who did what when, and the state of the chain."""
    form = AuditFilterForm(request.GET)
    try:
        found = audit.page(wanted=form.wanted(), cursor=request.GET.get("cursor", ""))
    except InvalidCursor as refusal:
        raise Http404(str(refusal)) from refusal
    context = {
        "section": "today",
        "lead_page": "audit",
        "at": timezone.now(),
        "form": form,
        "lines": [(line, ACTIONS.get(line.entry.action, ""), _details(line.entry)) for line in found.rows],
        "page": found,
        "query": saved_filters.query_of(request.GET, _NAMES),
        "chain": audit.chain_state(),
    }
    return render(request, "audit/audit.html", context)


def _details(entry: AuditEntry) -> str:
    """Return what an entry tells besides, as one line."""
    told = ", ".join(f"{name}: {value}" for name, value in entry.details.items() if value not in (None, ""))
    return told if len(told) <= _LONGEST_DETAILS else f"{told[:_LONGEST_DETAILS]}…"


def _start(day: date | None, *, days: int = 0) -> datetime | None:
    if day is None or day.year in {1, 9999}:
        return None
    return datetime.combine(day, time.min, UTC) + timedelta(days=days)
