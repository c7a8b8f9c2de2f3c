"""Reads pages from a standby, except for users who have just changed something."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from moderation import standby

COOKIE = "wrote"
"""In a browser that has just sent a change: it reads from the primary until the standby has it, too."""

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

View = Callable[..., HttpResponseBase]


def own_writes_marked(get_response: View) -> View:
    """Mark browsers that change something; without a standby it does nothing."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.method not in _SAFE and standby.is_named() and not request.path.startswith("/api/"):
            response.set_cookie(
                COOKIE,
                "1",
                max_age=int(standby.MOST_SECONDS_OLD),
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return respond


def may_be_behind(view: View) -> View:
    """Read a page that changes nothing from the standby; if that fails, once more from the primary."""

    @wraps(view)
    def answer(request: HttpRequest, *arguments: object, **named: object) -> HttpResponseBase:
        if COOKIE not in request.COOKIES:
            is_standby = False
            try:
                with standby.reading(waits=False) as is_standby:
                    return view(request, *arguments, **named)
            except (OperationalError, InterfaceError):
                if not is_standby:
                    raise
        return view(request, *arguments, **named)

    return answer
