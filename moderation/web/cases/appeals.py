"""The appeals of platforms, for leads."""

from __future__ import annotations

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from moderation.queries.cases import appeal_pages
from moderation.queries.cases.appeal_pages import AppealState
from moderation.web import access
from moderation.web.lists import list_pages
from moderation.web.lists.filter_form import FilterForm


class AppealFilterForm(FilterForm):
    """Which appeals the list shows."""

    state = forms.ChoiceField(choices=[(state.value, state.value) for state in AppealState], required=False)


@require_safe
@access.leads
def page(request: access.DeskRequest) -> HttpResponse:
    """List the appeals, by default the open ones."""
    state = AppealState(AppealFilterForm(request.GET).given("state") or AppealState.WAITING)
    with list_pages.cursor_or_404():
        appeals = appeal_pages.page(state=state, cursor=request.GET.get("cursor", ""))
    context = {
        "section": "today",
        "lead_page": "appeals",
        "at": timezone.now(),
        "state": state,
        "query": f"state={state}",
        "page": appeals,
        "counts": appeal_pages.counts(),
    }
    return render(request, "cases/appeals.html", context)
