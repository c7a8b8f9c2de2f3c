"""Do something once under a key: whoever repeats the request gets the first answer.

The answer is written in the transaction of what was done. A process killed before the commit did nothing and
left no answer; one killed after it left both. There is no third case, so no repair is needed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connection, transaction

from moderation.models import Platform, StoredAnswer
from moderation.operations import vault

KEPT = timedelta(hours=24)
_PRUNE_BATCH = 5_000
_REPLACED = ("request_digest", "status", "headers", "body", "answered_at")


class InFlight(Exception):
    """The first request under this key has not been answered yet."""


class KeyReused(Exception):
    """Another request was answered under this key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a request got. `body` is JSON; `is_repeated` if it comes from an earlier request."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeated: bool = False


def once(
    *,
    platform: Platform,
    key: str,
    request_digest: str,
    work: Callable[[], Answer],
    at: datetime,
    is_secret: bool = False,
) -> Answer:
    """Return the stored answer of this key, or do the work and store its answer if it succeeded (2xx).

    What is refused changed nothing: it is not stored, and may be tried again. A secret answer is stored
    encrypted. Raises InFlight or KeyReused, and whatever `work` raises.
    """
    with transaction.atomic():
        _take_turn(platform=platform, key=key)
        known = StoredAnswer.objects.filter(platform=platform, key=key).first()
        if known is not None and known.answered_at > at - KEPT:
            if known.request_digest != request_digest:
                raise KeyReused("Another request was answered under this Idempotency-Key.")
            return _stored(known, is_secret=is_secret)
        answer = work()
        if 200 <= answer.status < 300:
            body = vault.encrypt(answer.body) if is_secret else answer.body
            row = StoredAnswer(
                platform=platform,
                key=key,
                request_digest=request_digest,
                status=answer.status,
                headers=dict(answer.headers),
                body=body,
                answered_at=at,
            )
            # One statement, also where an answer whose time is over stands under this key.
            StoredAnswer.objects.bulk_create(
                [row], update_conflicts=True, unique_fields=("platform", "key"), update_fields=_REPLACED
            )
    return answer


def prune(*, at: datetime) -> int:
    """Delete answers whose time is over; return how many."""
    deleted = _PRUNE_BATCH
    total = 0
    while deleted == _PRUNE_BATCH:
        old = StoredAnswer.objects.filter(answered_at__lte=at - KEPT).order_by("answered_at")
        batch = list(old.values_list("pk", flat=True)[:_PRUNE_BATCH])
        deleted = StoredAnswer.objects.filter(pk__in=batch).delete()[0]
        total += deleted
    return total


def _take_turn(*, platform: Platform, key: str) -> None:
    """Hold the key until this transaction ends, however it ends; another holder is still at work.

    A row marked as in flight would outlive a killed process; the database drops this lock with it.
    """
    digest = hashlib.sha256(f"{platform.pk}:{key}".encode()).digest()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_try_advisory_xact_lock(%s)", (int.from_bytes(digest[:8], "big", signed=True),)
        )
        [is_ours] = cursor.fetchone() or (False,)
    if not is_ours:
        raise InFlight("The first request with this Idempotency-Key is still being answered.")


def _stored(known: StoredAnswer, *, is_secret: bool) -> Answer:
    body = vault.decrypt(known.body) if is_secret else known.body
    return Answer(status=known.status, body=body, headers=known.headers, is_repeated=True)
