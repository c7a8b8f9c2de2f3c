"""A service that speaks LibreTranslate's JSON.

https://docs.libretranslate.com/guides/api_usage/
"""

from __future__ import annotations

import json
import threading
import time
from urllib.parse import urlsplit

from moderation.operations.infrastructure import egress
from scoring.content import Breaker, Unavailable


class NotTranslated(Exception):
    """The service gave no translation; the message says what to do."""


class Unreachable(NotTranslated):
    """No valid answer came; a later call may succeed."""


class KeyRefused(NotTranslated):
    """The service wants another key."""


class Busy(NotTranslated):
    """The service, or this process, has too much to do."""


class Unsupported(NotTranslated):
    """The service does not translate this text into this language."""


TIMEOUT_SECONDS = 8.0
_MOST_BYTES = 256_000
_AT_ONCE = 2
"""Calls at once per process: a slow service must leave threads to everybody else."""
_FAILURES, _PAUSE_SECONDS = 3, 30.0


class LibreTranslate:
    """Posts to `/translate` at the operator's address, which may be a private one; follows no redirect."""

    def __init__(self, *, address: str, key: str) -> None:
        self.name = f"LibreTranslate ({urlsplit(address).hostname})"
        self._url = f"{address.rstrip('/')}/translate"
        self._key = key
        self._free = threading.BoundedSemaphore(_AT_ONCE)
        self._breaker = Breaker(failures=_FAILURES, seconds=_PAUSE_SECONDS, clock=time.monotonic)

    def translate(self, text: str, *, language: str) -> str:
        """Return the text in a language, such as "de", whatever it is in. Raises NotTranslated."""
        # Refused at once rather than queued: waiting readers would hold the web server's threads.
        if not self._free.acquire(blocking=False):
            raise Busy
        try:
            self._breaker.check()
            translation = self._translated(text, language=language)
        except Unavailable as refusal:
            raise Unreachable from refusal
        except Unreachable:
            self._breaker.record(succeeded=False)
            raise
        finally:
            self._free.release()
        self._breaker.record(succeeded=True)
        return translation

    def _translated(self, text: str, *, language: str) -> str:
        answer = self._answer({"q": text, "source": "auto", "target": language, "format": "text"})
        if answer.status == 403:
            raise KeyRefused
        if answer.status == 429:
            raise Busy
        if answer.status == 400:
            raise Unsupported
        if answer.status != 200:
            raise Unreachable(f"status {answer.status}")
        try:
            translation = json.loads(answer.body)["translatedText"]
        except (ValueError, KeyError, TypeError, RecursionError) as wrong:
            raise Unreachable("not the JSON of LibreTranslate") from wrong
        if not isinstance(translation, str) or not _is_storable(translation):
            raise Unreachable("not a text")
        return translation

    def _answer(self, body: dict[str, str]) -> egress.Answered:
        fields = body | ({"api_key": self._key} if self._key else {})
        try:
            return egress.post(
                url=self._url,
                body=json.dumps(fields).encode(),
                headers={"content-type": "application/json"},
                timeout_seconds=TIMEOUT_SECONDS,
                most_bytes=_MOST_BYTES,
                is_operators=True,
            )
        except (egress.Refused, egress.Failed) as failure:
            raise Unreachable(str(failure)) from failure


def _is_storable(text: str) -> bool:
    """PostgreSQL stores neither NUL nor half a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
