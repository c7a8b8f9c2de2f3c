"""Translate a revision of a post for somebody who does not read its language; kept per revision."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from django.conf import settings
from django.db import transaction

from moderation.models import Revision, Translation, User
from moderation.operations.audit import entries
from moderation.operations.infrastructure import transactions
from moderation.operations.refusals import Erased
from moderation.operations.translation.libre_translate import LibreTranslate, NotTranslated

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
    if not settings.TRANSLATION_URL:
        return None
    return _libre_translate(settings.TRANSLATION_URL, settings.TRANSLATION_KEY)


@lru_cache(maxsize=2)
def _libre_translate(address: str, key: str) -> LibreTranslate:
    """Keep one per process, so that its circuit breaker keeps its state."""
    return LibreTranslate(address=address, key=key)
