"""Error pages; a database outage is answered with 503 and Retry-After, a form's address alone with 405."""

import sys
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.defaults import server_error

from moderation.operations.infrastructure import outage

log = structlog.get_logger(__name__)

_GetResponse = Callable[[HttpRequest], HttpResponseBase]


class OutageMiddleware:
    """Answers a view's error during a database outage; errors of other middleware end in `page`."""

    def __init__(self, get_response: _GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, _request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer an outage: it is counted, not logged as an error."""
        cause = outage.of(exception)
        if cause is None:
            return None
        log.warning("database_away", reason=cause.name)
        return _unavailable(cause)


def wrong_methods_told(get_response: _GetResponse) -> _GetResponse:
    """Show a page if an address takes only a form, as after signing in: Django's own answer is empty."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        answer = get_response(request)
        is_read = request.method == "GET" and not request.path.startswith("/api/")
        if not (is_read and isinstance(answer, HttpResponseNotAllowed)):
            return answer
        page = render(request, "405.html", status=answer.status_code)
        page.headers["Allow"] = answer.headers["Allow"]
        return page

    return respond


def page(request: HttpRequest) -> HttpResponse:
    """Answer an uncaught exception; Django calls it while the exception is handled."""
    cause = outage.of(sys.exc_info()[1])
    return _unavailable(cause) if cause else server_error(request)


def _unavailable(found: outage.Outage) -> HttpResponse:
    outage.note(found)
    # Without the request: the base template would read the user from the database.
    answer = HttpResponse(render_to_string("503.html", {"outage": found}), status=503)
    answer.headers["Retry-After"] = str(found.retry_after_seconds)
    return answer
