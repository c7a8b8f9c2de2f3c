"""Lists: the state that an address names; with filters, the whole page or for htmx only its rows."""

from enum import StrEnum
from typing import TypeVar

from django.http import HttpResponse
from django.shortcuts import render

from moderation.web import access
from moderation.web.lists.filter_form import FilterForm

State = TypeVar("State", bound=StrEnum)


def state_named(request: access.DeskRequest, *, usual: State) -> State:
    """Return the state that the address names, the usual one if it names none of them."""
    name = request.GET.get("state", "")
    return type(usual)(name) if name in set(type(usual)) else usual


def answer(
    request: access.DeskRequest, template: str, context: dict[str, object], *, form: FilterForm
) -> HttpResponse:
    """Render a list; `context` is what its rows need, and its filters beyond their form."""
    context |= {"form": form, "query": form.query_of(request.GET)}
    if request.htmx:
        return render(request, f"{template}#rows", context)
    if form.page:
        saved = request.user.saved_filters.filter(page=form.page)
        context |= {"filter_page": form.page.value, "saved_filters": saved}
    return render(request, template, context)
