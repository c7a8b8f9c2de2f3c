"""Notes when a session was last used, for the list of a user's sessions."""

import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from django.contrib.sessions.backends.base import SessionBase
from django.db import DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from moderation.models import desk_settings
from moderation.operations.accounts import sessions

LISTED = "listed"
"""What a session holds once it is written down."""

_ENDS = "ends_at"
_UNATTENDED = {
    "notifications",
    "review-beat",
    "health",
    "export",
    "history",
    "training-run",
    "proposal-state",
}
"""What an open page asks for although nobody may sit before it."""

_REMEMBERED = 1_000


def begin(session: SessionBase, *, at: datetime) -> None:
    """Set the end of a new session, which use does not put off."""
    session[_ENDS] = (at + timedelta(hours=desk_settings.current().session_hours)).isoformat()
    _limit(session, at=at)


def _limit(session: SessionBase, *, at: datetime) -> None:
    """Let a session end at its last instant, or earlier if nobody uses it until then."""
    ends_at = datetime.fromisoformat(session[_ENDS])
    if idle := desk_settings.current().idle_minutes:
        # Use is noted in steps: nobody is to be signed out a step too early.
        ends_at = min(ends_at, at + timedelta(minutes=idle) + sessions.USED_EVERY)
    session.set_expiry(ends_at)


class SessionUseMiddleware:
    """Notes the use of a listed session, at most once in `sessions.USED_EVERY` by each process."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._noted: OrderedDict[str, float] = OrderedDict()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on, then note the session if its view has read it."""
        response = self.get_response(request)
        key, session, match = request.session.session_key, request.session, request.resolver_match
        is_attended = match is not None and match.url_name not in _UNATTENDED
        if key and is_attended and session.accessed and session.get(LISTED) and self._is_due(key):
            with suppress(DatabaseError):  # a hint: the answer is there, and the next use is noted
                sessions.touch(session_key=key, at=timezone.now())
            if _ENDS in session and desk_settings.current().idle_minutes:
                _limit(session, at=timezone.now())
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
