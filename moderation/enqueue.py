"""After commit, run a task by its name. Imports no task, so operations never depend on them.

A lost message is no loss: the rows say what is open, and the sweep enqueues it again.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)

SCORING_CHUNK = 64
"""Posts per task: large enough to fill a Triton batch, small enough to finish well within the lease."""
EXPLANATION_EXPIRES_SECONDS = 30


_committed: deque[tuple[int, str]] = deque()
_publishing = threading.Lock()
_MOST_REQUESTS = 8
"""So many requests a message names, where it carries the posts of more."""


def scoring(*, revision_ids: Sequence[int]) -> None:
    """Score these revisions once the transaction has committed."""
    if revision_ids:
        transaction.on_commit(partial(_publish, tuple(revision_ids), request_id=_request_id()))


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
        _after_commit("moderation.tasks.ask_reputation", queue="default", revision_ids=list(revision_ids))


def delivery(*, delivery_id: str, countdown_seconds: float = 0) -> None:
    """Send a delivery, not before the time for undoing is over."""
    _after_commit(
        "moderation.tasks.send_delivery",
        queue="default",
        countdown=countdown_seconds,
        delivery_id=delivery_id,
    )


def campaign(*, campaign_decision_id: int, countdown_seconds: float = 0) -> None:
    """Carry out a decision on a large campaign, not before the time for undoing is over."""
    _after_commit(
        "moderation.tasks.settle_campaign",
        queue="default",
        countdown=countdown_seconds,
        campaign_decision_id=campaign_decision_id,
    )


def export(*, export_id: int) -> None:
    """Build a requested export."""
    _after_commit("moderation.tasks.build_export", queue="default", export_id=export_id)


def _publish(revision_ids: Sequence[int], *, request_id: str = "") -> None:
    """Send messages for all that has committed. Whoever finds another thread at it leaves it to that one.

    A message costs as much as a tenth of a request: under load one carries the posts of several.
    """
    _committed.extend((revision_id, request_id) for revision_id in revision_ids)
    # Looked at again after the lock is free: what came meanwhile must not wait for the next request.
    while _committed and _publishing.acquire(blocking=False):
        try:
            while chunk := [_committed.popleft() for _ in range(min(SCORING_CHUNK, len(_committed)))]:
                names = sorted({name for _, name in chunk if name})
                _send(
                    "moderation.tasks.score_revisions",
                    options={"queue": "scoring", **_headers(",".join(names[:_MOST_REQUESTS]))},
                    kwargs={"revision_ids": [revision_id for revision_id, _ in chunk]},
                )
        finally:
            _publishing.release()


def _request_id() -> str:
    return str(structlog.contextvars.get_contextvars().get("request_id") or "")


def _headers(request_id: str) -> dict[str, Any]:
    """Return the option by which config/task_logs.py puts the request's id into the task's log lines."""
    return {"headers": {"request_id": request_id}} if request_id else {}


def _after_commit(
    task: str, *, queue: str, countdown: float = 0, expires_seconds: float | None = None, **kwargs: object
) -> None:
    options: dict[str, Any] = {"queue": queue, "countdown": countdown or None, "expires": expires_seconds}
    options |= _headers(_request_id())
    transaction.on_commit(partial(_send, task, options=options, kwargs=kwargs))


def _send(task: str, *, options: dict[str, Any], kwargs: dict[str, object]) -> None:
    try:
        current_app.send_task(task, kwargs=kwargs, **options)
    except OperationalError as refused:
        # The broker is away. The row is committed and the sweep will find it: the caller gets an answer.
        log.warning("enqueue_refused", task=task, reason=type(refused).__name__)
