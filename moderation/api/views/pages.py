"""Browser pages of the API: the OpenAPI document, Swagger UI, and the page of each problem type."""

import json
import threading
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from moderation.api.problems import PROBLEMS


@require_safe
@cache_control(max_age=300)
def openapi(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Answer with the OpenAPI document; who comes while it is being made is sent away for a moment."""
    if (document := _document.get()) is None:
        return HttpResponse("The document is being made.\n", status=503, headers={"Retry-After": "5"})
    return HttpResponse(document, content_type="application/json")


@require_safe
def documentation(request: HttpRequest) -> HttpResponse:
    """Show Swagger UI from our own files: works offline, and under the strict content security policy."""
    return render(request, "api/documentation.html")


@require_safe
def problem_list(request: HttpRequest) -> HttpResponse:
    """List every problem type."""
    return render(request, "api/problems.html", {"kinds": PROBLEMS.values()})


@require_safe
def problem(request: HttpRequest, code: str) -> HttpResponse:
    """Show the page that a type URI resolves to."""
    if code not in PROBLEMS:
        raise Http404("There is no such problem type.")
    return render(request, "api/problems.html", {"kinds": [PROBLEMS[code]]})


class _Document:
    """The document, made once in a process by the first who asks: routes do not change while it runs.

    It takes seconds, and drf-spectacular is not safe in threads: nobody else makes it meanwhile, or waits.
    """

    def __init__(self) -> None:
        self._made: bytes | None = None
        self._making = threading.Lock()

    def get(self) -> bytes | None:
        """Return the document, None while another thread makes it."""
        if self._made is None and self._making.acquire(blocking=False):
            try:
                self._made = self._made or _generated()
            finally:
                self._making.release()
        return self._made


def _generated() -> bytes:
    generator: Any = SchemaGenerator
    return json.dumps(generator().get_schema(request=None, public=True), ensure_ascii=False).encode()


_document = _Document()
