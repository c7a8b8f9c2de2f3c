"""Lists with filters: the whole page, or for htmx only its rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.http import Http404, HttpResponse
from django.shortcuts import render

from moderation.models.saved_filters import FilterPage
from moderation.queries.keyset import InvalidCursor
from moderation.web import access
from moderation.web.posts import saved_filters


@contextmanager
def cursor_or_404() -> Iterator[None]:
    """Answer 404 where the address holds a cursor that nobody gave out."""
    try:
        yield
    except InvalidCursor as refusal:
        raise Http404(str(refusal)) from refusal


def answer(
    request: access.DeskRequest, template: str, context: dict[str, object], *, page: FilterPage
) -> HttpResponse:
    """Render a list; `context` is what its rows need, and its filters where they need no query."""
    context |= {"query": saved_filters.query_of(request.GET, saved_filters.NAMES[page])}
    if request.htmx:
        return render(request, f"{template}#rows", context)
    return render(request, template, context | saved_filters.context(request, page))
