"""Request ids, problems instead of HTML pages for errors before a view runs, refusal of plain HTTP."""

import re
import time
import uuid
from collections.abc import Callable, Mapping

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from moderation.api import errors, problems

log = structlog.get_logger(__name__)

HEADER = "X-Request-ID"
_SAFE = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
_GetResponse = Callable[[HttpRequest], HttpResponseBase]
_FOR_PROGRAMS = re.compile(r"/(?:api|1\.[12])/")


def identifier_of(given: str) -> str:
    """Return the caller's request id, or a new one if that could break a log line or a header."""
    return given if _SAFE.fullmatch(given) else uuid.uuid4().hex


def request_ids(get_response: _GetResponse) -> _GetResponse:
    """Take the caller's X-Request-ID or create one; add it to every log line and to the answer."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        identifier = identifier_of(request.headers.get(HEADER, ""))
        request.request_id = identifier  # type: ignore[attr-defined]  # read in `errors`
        with structlog.contextvars.bound_contextvars(request_id=identifier):
            # Not the wall clock: it may be set back while the request runs.
            began = time.monotonic()
            response = get_response(request)
            _log(request, response, milliseconds=round(1000 * (time.monotonic() - began)))
        response.headers[HEADER] = identifier
        return response

    # CPython 3.11 keeps frames in chunks of 16 kB; a loop that calls across the end of one maps and unmaps
    # memory at each call (python/cpython#142183): pages whose rows did took up to twice as long. All frames
    # below one of 280 kB fit in the rest of its chunk.
    respond.__code__ = respond.__code__.replace(co_stacksize=35_000)
    return respond


def _log(request: HttpRequest, response: HttpResponseBase, *, milliseconds: int) -> None:
    """Log a request of the API: by its route, since a path may hold a person's name, and without address."""
    if request.resolver_match is None or not request.path_info.startswith(("/api/", "/1.", "/v1alpha1/")):
        return
    log.info(
        "request",
        method=request.method,
        route=request.resolver_match.route,
        status=response.status_code,
        milliseconds=milliseconds,
    )


def problems_below_api(get_response: _GetResponse) -> _GetResponse:
    """Replace error pages below /api/ by problems, even if Django answers itself, such as for a bad host."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code < 400 or not request.path_info.startswith("/api/") or _is_problem(response):
            return response
        return _problem(response.status_code, request=request, kept=response.headers)

    return respond


def _is_problem(response: HttpResponseBase) -> bool:
    return response.headers.get("Content-Type", "").startswith(problems.CONTENT_TYPE)


def _problem(status: int, *, request: HttpRequest, kept: Mapping[str, str]) -> HttpResponse:
    code = problems.BY_STATUS.get(status, "malformed_request" if status < 500 else "internal_error")
    headers = {name: kept[name] for name in ("Allow", "Retry-After") if name in kept}
    return errors.answer(code, detail=problems.PROBLEMS[code].cure, request=request, headers=headers)


def plain_http_refused(get_response: _GetResponse) -> _GetResponse:
    """Refuse plain HTTP in production, before Django's SecurityMiddleware redirects pages to https.

    A redirect would hide that a key or a password has already crossed the network in the clear, and many
    clients follow it with GET. The developer must learn of it at the first call. Pages without a key may be
    redirected, and probes need no TLS.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        is_exempt = any(re.search(path, request.path.lstrip("/")) for path in settings.SECURE_REDIRECT_EXEMPT)
        if not settings.SECURE_SSL_REDIRECT or request.is_secure() or is_exempt:
            return get_response(request)
        if request.path.startswith("/api/"):
            return errors.answer("tls_required", detail=_said(request), request=request)
        if (
            request.method not in {"GET", "HEAD"}
            or "Authorization" in request.headers
            or _FOR_PROGRAMS.match(request.path)
        ):
            return HttpResponse(_said(request), status=403, content_type="text/plain; charset=utf-8")
        return get_response(request)

    return respond


def _said(request: HttpRequest) -> str:
    """Return the refusal; a key sent in the clear must be considered compromised."""
    if "Authorization" in request.headers:
        return "The key came over plain HTTP, where others can read it. Exchange it, and call https."
    return "This came over plain HTTP, where others can read it, and was refused. Call https."
