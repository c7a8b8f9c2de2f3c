"""What people see when a request fails: who waits for the database is told so, and when to come back."""

from __future__ import annotations

import sys
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.views.defaults import server_error

from moderation.operations.infrastructure import outage

log = structlog.get_logger(__name__)


class OutageMiddleware:
    """Answers a view's failure where the database is away; that of another middleware ends in `page`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, _request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer an outage: what the world does is counted, not logged as an error of ours."""
        found = outage.of(exception)
        if found is None:
            return None
        log.warning("database_away", reason=found.name)
        return _unavailable(found)


def page(request: HttpRequest) -> HttpResponse:
    """Answer what no view and no middleware caught; Django calls it while the exception is handled."""
    found = outage.of(sys.exc_info()[1])
    return _unavailable(found) if found else server_error(request)


def _unavailable(found: outage.Outage) -> HttpResponse:
    outage.note(found)
    # Without the request: what the base page shows of a person lies in the database.
    answer = HttpResponse(render_to_string("503.html", {"outage": found}), status=503)
    answer.headers["Retry-After"] = str(found.retry_after_seconds)
    answer.headers["Cache-Control"] = "no-store"
    return answer
