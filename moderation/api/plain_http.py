"""Plain HTTP in production: pages redirect to https, everything else is refused.

A redirect would hide that a key or a password has already crossed the network in the clear, and many clients
follow it with GET. The developer must learn of it at the first call.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from moderation.api import errors

_GetResponse = Callable[[HttpRequest], HttpResponseBase]
_FOR_PROGRAMS = re.compile(r"/(?:api|1\.[12])/")


class PlainHttpMiddleware:
    """Runs before Django's SecurityMiddleware, which redirects the rest."""

    def __init__(self, get_response: _GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Refuse requests that must not be redirected; pages without a key may be, and probes need no TLS."""
        is_exempt = any(re.search(path, request.path.lstrip("/")) for path in settings.SECURE_REDIRECT_EXEMPT)
        if not settings.SECURE_SSL_REDIRECT or request.is_secure() or is_exempt:
            return self.get_response(request)
        if request.path.startswith("/api/"):
            return errors.answer("tls_required", detail=_said(request), request=request)
        if (
            request.method not in {"GET", "HEAD"}
            or "Authorization" in request.headers
            or _FOR_PROGRAMS.match(request.path)
        ):
            return HttpResponse(_said(request), status=403, content_type="text/plain; charset=utf-8")
        return self.get_response(request)


def _said(request: HttpRequest) -> str:
    """Return the refusal; a key sent in the clear must be considered compromised."""
    if "Authorization" in request.headers:
        return "The key came over plain HTTP, where others can read it. Exchange it, and call https."
    return "This came over plain HTTP, where others can read it, and was refused. Call https."
