"""Notes when a session was last used, for the list of a user's sessions."""

import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from django.db import DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from moderation.operations.accounts import sessions

LISTED = "listed"
"""What a session holds once it is written down."""

_REMEMBERED = 1_000


class SessionUseMiddleware:
    """Notes the use of a listed session, at most once in `sessions.USED_EVERY` by each process."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._noted: OrderedDict[str, float] = OrderedDict()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on, then note the session if its view has read it."""
        response = self.get_response(request)
        key = request.session.session_key
        if key and request.session.accessed and request.session.get(LISTED) and self._is_due(key):
            with suppress(DatabaseError):  # a hint: the answer is there, and the next use is noted
                sessions.touch(session_key=key, at=timezone.now())
        return response

    def _is_due(self, key: str) -> bool:
        # By process and from memory: one write a session in some minutes is enough, a few more after a
        # restart do no harm.
        now = time.monotonic()
        if now - self._noted.get(key, -1e9) < sessions.USED_EVERY.total_seconds():
            return False
        self._noted[key] = now
        self._noted.move_to_end(key)
        if len(self._noted) > _REMEMBERED:
            self._noted.popitem(last=False)
        return True
