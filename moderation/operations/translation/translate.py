"""Translate a revision of a post for somebody who does not read its language; kept per revision."""

import json
import threading
import time
from datetime import datetime
from functools import lru_cache
from urllib.parse import urlsplit

from django.db import transaction

from moderation.models import Revision, Translation, User, desk_settings
from moderation.operations.audit import entries
from moderation.operations.infrastructure import egress, transactions, vault
from moderation.operations.refusals import Erased
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
    """Posts to `/translate` at an address; follows no redirect.

    https://docs.libretranslate.com/guides/api_usage/
    """

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
            return egress.request(
                "POST",
                url=self._url,
                body=json.dumps(fields).encode(),
                headers={"content-type": "application/json"},
                timeout_seconds=TIMEOUT_SECONDS,
                most_bytes=_MOST_BYTES,
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


_audit = entries.writer("post", subject_id="post_id", revision="number")
MOST_CHARACTERS = 5_000
"""How much of a text is sent."""


class NotSetUp(NotTranslated):
    """No service is named in the settings."""


def translate(*, revision: Revision, language: str, actor: User, at: datetime) -> Translation:
    """Return the translation that is kept, else ask the service and keep it; audited when asked.

    Raises NotTranslated, or Erased, also if the post is erased meanwhile.
    """
    earlier = Translation.objects.filter(revision=revision, language=language).first()
    if earlier is not None:
        return earlier
    if not revision.text.strip():
        raise Erased("There is no text.")
    service = translator()
    if service is None:
        raise NotSetUp
    # Outside the transaction: nothing is locked while a service thinks.
    text = service.translate(revision.text[:MOST_CHARACTERS], language=language)
    with transaction.atomic():
        if not transactions.lock_posts(pk=revision.post_id):
            raise Erased("The post was erased.")
        translation, is_new = Translation.objects.get_or_create(
            revision=revision,
            language=language,
            defaults={
                "text": text,
                "translated_by": service.name,
                "is_whole": len(revision.text) <= MOST_CHARACTERS,
                "translated_at": at,
            },
        )
        if is_new:
            _audit("post.translated", revision, actor=actor, at=at, language=language, service=service.name)
    return translation


def translator() -> LibreTranslate | None:
    """Return the service that the settings name, None if they name none."""
    named = desk_settings.current()
    if not named.translation_url:
        return None
    return _libre_translate(named.translation_url, named.translation_key)


@lru_cache(maxsize=2)
def _libre_translate(address: str, encrypted_key: str) -> LibreTranslate:
    """Keep one per process, so that its circuit breaker keeps its state."""
    return LibreTranslate(address=address, key=vault.decrypt(encrypted_key) if encrypted_key else "")
