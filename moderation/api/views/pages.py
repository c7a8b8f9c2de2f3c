"""Browser pages of the API: the OpenAPI document, Swagger UI, and the page of each problem type."""

from __future__ import annotations

import functools
import json
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
    """Answer with the OpenAPI document."""
    return HttpResponse(_document(), content_type="application/json")


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


@functools.cache
def _document() -> bytes:
    """Generate once per process: the routes do not change while it runs."""
    generator: Any = SchemaGenerator
    return json.dumps(generator().get_schema(request=None, public=True), ensure_ascii=False).encode()
