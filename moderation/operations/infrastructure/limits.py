"""Rate limits, counted in the broker's store with one call, so all web processes share them.

A bucket leaks evenly and holds a burst (the generic cell rate algorithm, ITU-T I.371 annex A): one number per
bucket is kept, and the cost does not depend on the rate. Without the store nothing is refused (fail open): a
limit protects the installation and must not take it down.

The package `limits` counts windows: it has no bucket that leaks, and a clock that is set back blocks it.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import redis
import structlog
from django.conf import settings
from django.utils.crypto import salted_hmac

log = structlog.get_logger(__name__)

TIMEOUT_SECONDS = 0.25
PAUSE_SECONDS = 1.0

_TAKE = Path(__file__).with_name("take.lua").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A limit: `per_minute` in the long run, `burst` at once."""

    name: str
    per_minute: int
    burst: int

    @property
    def window_seconds(self) -> int:
        """Return how long an empty bucket takes to fill."""
        return math.ceil(60 * self.burst / self.per_minute)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What is left of a bucket, and the seconds until it is full again."""

    bucket: Bucket
    remaining: int
    reset_seconds: int


class LimitReached(Exception):
    """The rate limit is exceeded; `taken.reset_seconds` says when to retry."""

    def __init__(self, taken: Taken) -> None:
        bucket = taken.bucket
        super().__init__(
            f"More than {bucket.per_minute} {bucket.name} per minute; wait {taken.reset_seconds} s."
        )
        self.taken = taken


def take(*, bucket: Bucket, owner: str, at: datetime, cost: int = 1) -> Taken | None:
    """Take from an owner's bucket; None if the store cannot be reached. Raises LimitReached."""
    numbers = [round(at.timestamp() * 1000, 3), 60_000 / bucket.per_minute, bucket.burst, cost]
    answer = ask(lambda _store: _script()(keys=[_name(bucket, owner)], args=numbers))
    if answer is None:
        return None
    is_allowed, remaining, wait_ms = answer
    taken = Taken(
        bucket=bucket, remaining=max(0, int(remaining)), reset_seconds=max(1, math.ceil(wait_ms / 1000))
    )
    if not is_allowed:
        raise LimitReached(taken)
    return taken


def refuse_if_empty(*, bucket: Bucket, owner: str, at: datetime) -> None:
    """Take nothing. Raises LimitReached if a `take` of one would."""
    now_ms, interval = at.timestamp() * 1000, 60_000 / bucket.per_minute
    full_at, written_at = map(float, (ask(lambda store: store.get(_name(bucket, owner))) or b"0 0").split())
    wait_ms = full_at - now_ms - (bucket.burst - 1) * interval
    if wait_ms > 0 and written_at <= now_ms:  # else the next `take` sets it back with the clock
        seconds = math.ceil(wait_ms / 1000)
        raise LimitReached(Taken(bucket=bucket, remaining=0, reset_seconds=seconds))


def ask(question: Callable[[redis.Redis], Any]) -> Any:
    """Return the store's answer; None if it cannot be reached."""
    if time.monotonic() < _Store.paused_until:
        return None
    try:
        return question(_store())
    except redis.RedisError as failure:
        # Limits fail open: without this pause each request would wait for the dead store's timeout.
        _Store.paused_until = time.monotonic() + PAUSE_SECONDS
        log.warning("limits_not_kept", reason=type(failure).__name__)
        return None


class _Store:
    """When the store may be called again after a failure; one per process."""

    paused_until = 0.0


def _name(bucket: Bucket, owner: str) -> str:
    """Return a pseudonymous key: the store's file outlives an erasure."""
    return f"spamdesk:limit:{bucket.name}:{salted_hmac('limits', owner, algorithm='sha256').hexdigest()[:32]}"


@lru_cache(maxsize=1)
def _store() -> redis.Redis:
    return redis.Redis.from_url(
        settings.CELERY_BROKER_URL, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS
    )


@lru_cache(maxsize=1)
def _script() -> redis.commands.core.Script:
    return _store().register_script(_TAKE)
