"""After commit, run a task by its name. Imports no task, so operations never depend on them.

A lost message is no loss: the rows say what is open, and the sweep enqueues it again.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache, partial
from typing import Any

import redis
import structlog
from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)

QUEUES = (
    "scoring",
    "housekeeping",
    "webhooks",
    "campaigns",
    "explanations",
    "reputation",
    "erasures",
    "exports",
    "default",
)
"""By kind of work, so that none waits for another; deploy/local/application.py says who empties which."""

SCORING_CHUNK = 64
"""Posts per task: large enough to fill a Triton batch, small enough to finish well within the lease."""
EXPLANATION_EXPIRES_SECONDS = 30
_LATEST_TURN_SECONDS = 30
_TURN_EXPECTED_SECONDS = 15
"""A message for an endpoint that nobody took for so long may be lost: another one is sent."""


_GATHER_SECONDS = 0.02
"""At most so much later than the one before, the background sends the next message."""

# More wait only while the broker is away, and then the sweep finds them.
_committed: deque[tuple[int, str]] = deque(maxlen=50_000)
_wake: threading.Event | None = None
_MOST_REQUESTS = 8
"""So many requests a message names, where it carries the posts of more."""


def in_background() -> None:
    """Let a thread of this process send the messages for scoring: the web answers without waiting for it."""
    global _wake  # noqa: PLW0603 - one publisher for each process
    _wake = threading.Event()
    threading.Thread(target=_keep_publishing, args=(_wake,), name="enqueue", daemon=True).start()


def scoring(*, revision_ids: Sequence[int]) -> None:
    """Score these revisions once the transaction has committed."""
    if revision_ids:
        transaction.on_commit(partial(_publish, tuple(revision_ids), request_id=request_id()))


def messages() -> dict[str, int]:
    """Return how many messages of each queue no worker has taken yet; empty where the broker cannot say."""
    try:
        with _store().pipeline(transaction=False) as asked:
            for queue in QUEUES:
                asked.llen(queue)
            return dict(zip(QUEUES, asked.execute(), strict=True))
    except redis.RedisError:
        return {}


def scoring_backlog() -> int:
    """Return how many scoring messages wait in the broker, 0 where it cannot say."""
    connection = current_app.connection_for_write()
    try:
        with connection:
            channel: Any = connection.default_channel  # kombu's annotations leave out what AMQP defines
            return int(channel.queue_declare(queue="scoring", passive=True).message_count)
    except (*connection.connection_errors, *connection.channel_errors):
        return 0


def explanation(*, score_id: int) -> None:
    """Explain the words of a score that a human is about to see; forgotten if nobody gets to it in time."""
    _after_commit(
        "moderation.tasks.explain_score",
        queue="explanations",
        expires_seconds=EXPLANATION_EXPIRES_SECONDS,
        score_id=score_id,
    )


def reputation(*, revision_ids: Sequence[int]) -> None:
    """Ask reputation providers about the links of these revisions."""
    if revision_ids:
        _after_commit("moderation.tasks.ask_reputation", queue="reputation", revision_ids=list(revision_ids))


def deliveries(*, endpoint_id: int, due_at: datetime | None = None) -> None:
    """Send what is due at an endpoint, now or soon after `due_at`: one message, for however many deliveries.

    What is due much later is left to the sweep: a message must not outlive the broker's patience.
    """
    due = math.ceil(due_at.timestamp()) if due_at else 0
    transaction.on_commit(partial(_send_turn, endpoint_id, due=due, request_id=request_id()))


def deliveries_begun(*, endpoint_id: int) -> None:
    """Say that the message for an endpoint was taken: what is due from now on needs another one."""
    with suppress(redis.RedisError):  # the mark ends by itself
        _store().delete(f"spamdesk:turn:{endpoint_id}:0")


def campaign(*, campaign_decision_id: int, countdown_seconds: float = 0) -> None:
    """Carry out a decision on a large campaign, not before the time for undoing is over."""
    _after_commit(
        "moderation.tasks.settle_campaign",
        queue="campaigns",
        countdown=countdown_seconds,
        campaign_decision_id=campaign_decision_id,
    )


def export(*, export_id: int) -> None:
    """Build a requested export."""
    _after_commit("moderation.tasks.build_export", queue="exports", export_id=export_id)


def _publish(revision_ids: Sequence[int], *, request_id: str = "") -> None:
    """Send messages for what has committed, or have them sent."""
    named = [(revision_id, request_id) for revision_id in revision_ids]
    if _wake is None:
        _send_scoring(named)
    else:
        _committed.extend(named)
        _wake.set()


def _keep_publishing(wake: threading.Event) -> None:
    """Send what has committed, again and again.

    A message costs as much as a fifth of a request: under load one carries the posts of several. A post that
    comes alone is sent at once.
    """
    while wake.wait():
        wake.clear()
        try:
            _send_scoring([_committed.popleft() for _ in range(len(_committed))])
        except Exception:
            log.exception("enqueue_failed")  # the sweep finds what was not sent
        time.sleep(_GATHER_SECONDS)


def _send_scoring(named: Sequence[tuple[int, str]]) -> None:
    """Send revisions, each with the id of its request."""
    for start in range(0, len(named), SCORING_CHUNK):
        chunk = named[start : start + SCORING_CHUNK]
        names = sorted({name for _, name in chunk if name})
        _send(
            "moderation.tasks.score_revisions",
            options={"queue": "scoring", **_headers(",".join(names[:_MOST_REQUESTS]))},
            kwargs={"revision_ids": [revision_id for revision_id, _ in chunk]},
        )


def request_id() -> str:
    """Return the id of the request that this is done for, empty without one."""
    return str(structlog.contextvars.get_contextvars().get("request_id") or "")


def _headers(request_id: str) -> dict[str, Any]:
    """Return the option by which config/task_logs.py puts the request's id into the task's log lines."""
    return {"headers": {"request_id": request_id}} if request_id else {}


def _after_commit(
    task: str, *, queue: str, countdown: float = 0, expires_seconds: float | None = None, **kwargs: object
) -> None:
    options: dict[str, Any] = {"queue": queue, "countdown": countdown or None, "expires": expires_seconds}
    options |= _headers(request_id())
    transaction.on_commit(partial(_send, task, options=options, kwargs=kwargs))


def _send_turn(endpoint_id: int, *, due: int, request_id: str) -> None:
    """Send a message for a turn at an endpoint, unless one for the same second is on its way."""
    seconds = max(0.0, due - time.time())
    if seconds > _LATEST_TURN_SECONDS:
        return
    mark = f"spamdesk:turn:{endpoint_id}:{due if seconds else 0}"
    if _is_first(mark, seconds=math.ceil(seconds) + _TURN_EXPECTED_SECONDS):
        options = {"queue": "webhooks", "countdown": seconds or None, **_headers(request_id)}
        _send("moderation.tasks.serve_endpoint", options=options, kwargs={"endpoint_id": endpoint_id})


def _is_first(mark: str, *, seconds: int) -> bool:
    """Leave a mark in the broker's store; False if it is there. Without the store everybody is the first."""
    try:
        return bool(_store().set(mark, 1, nx=True, ex=seconds))
    except redis.RedisError:
        return True


@lru_cache(maxsize=1)
def _store() -> redis.Redis:
    return redis.Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=0.25, socket_connect_timeout=0.25)


def _send(task: str, *, options: dict[str, Any], kwargs: dict[str, object]) -> None:
    try:
        current_app.send_task(task, kwargs=kwargs, **options)
    except OperationalError as refused:
        # The broker is away. The row is committed and the sweep will find it: the caller gets an answer.
        log.warning("enqueue_refused", task=task, reason=type(refused).__name__)
