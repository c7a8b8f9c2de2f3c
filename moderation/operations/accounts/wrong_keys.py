"""Throttling of unknown API keys: how many a network may try before the database is no longer queried.

Guessing must be cheap to refuse and must not block other clients behind the same address: a key that was
valid before is looked up whatever the network did. That is remembered per process, and for a day in the store
of the limits, so that a restarted process knows it, too. Only digests of digests are kept there.
"""

import hashlib
import time
from collections import OrderedDict
from datetime import datetime
from threading import Lock

from django.conf import settings

from moderation.operations.infrastructure import limits
from moderation.operations.infrastructure.limits import Bucket

_REMEMBERED_KEYS = 10_000
_REMEMBERED_SECONDS = 300.0
_STORED_SECONDS = 86_400

_right: OrderedDict[str, float] = OrderedDict()
_lock = Lock()


def refuse_if_many(*, digest: str, network: str, at: datetime) -> None:
    """Pass keys that were valid before, and others within the limit. Raises LimitReached."""
    if not network or _is_remembered(digest):
        return
    try:
        limits.refuse_if_empty(bucket=_bucket(), owner=network, at=at)
    except limits.LimitReached:
        if not limits.ask(lambda store: store.exists(_name(digest))):
            raise


def count(*, network: str, at: datetime) -> None:
    """Count an unknown, revoked or expired key against the network."""
    if not network:
        return
    try:
        limits.take(bucket=_bucket(), owner=network, at=at)
    except limits.LimitReached:
        return  # concurrent requests used the limit up; the next one is refused


def remember_right(*, digest: str) -> None:
    """Remember a valid key."""
    if _is_remembered(digest):
        return
    with _lock:
        _right[digest] = time.monotonic() + _REMEMBERED_SECONDS
        _right.move_to_end(digest)
        if len(_right) > _REMEMBERED_KEYS:
            _right.popitem(last=False)
    limits.ask(lambda store: store.set(_name(digest), 1, ex=_STORED_SECONDS))


def _is_remembered(digest: str) -> bool:
    return _right.get(digest, 0.0) > time.monotonic()


def _bucket() -> Bucket:
    return Bucket(
        name="wrong_keys", per_minute=settings.WRONG_KEYS_PER_MINUTE, burst=settings.WRONG_KEYS_BURST
    )


def _name(digest: str) -> str:
    return f"spamdesk:right_key:{hashlib.sha256(digest.encode()).hexdigest()}"
