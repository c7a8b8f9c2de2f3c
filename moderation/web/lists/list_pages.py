"""Lists with filters: the whole page, or for htmx only its rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.http import Http404, HttpResponse
from django.shortcuts import render

from moderation.queries.keyset import InvalidCursor
from moderation.web import access
from moderation.web.lists.filter_form import FilterForm


@contextmanager
def cursor_or_404() -> Iterator[None]:
    """Answer 404 for an invalid cursor."""
    try:
        yield
    except InvalidCursor as refusal:
        raise Http404(str(refusal)) from refusal


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
