"""After commit, run a task by its name. Imports no task, so operations never depend on them.

A lost message is no loss: the rows say what is open, and the sweep enqueues it again.
"""

from __future__ import annotations

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


def scoring(*, revision_ids: Sequence[int]) -> None:
    """Score these revisions once the transaction has committed."""
    for start in range(0, len(revision_ids), SCORING_CHUNK):
        chunk = list(revision_ids[start : start + SCORING_CHUNK])
        _after_commit("moderation.tasks.score_revisions", queue="scoring", revision_ids=chunk)


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


def _after_commit(
    task: str, *, queue: str, countdown: float = 0, expires_seconds: float | None = None, **kwargs: object
) -> None:
    options: dict[str, Any] = {"queue": queue, "countdown": countdown or None, "expires": expires_seconds}
    if request_id := structlog.contextvars.get_contextvars().get("request_id"):
        options["headers"] = {
            "request_id": request_id
        }  # config/task_logs.py puts it into the task's log lines
    transaction.on_commit(partial(_send, task, options=options, kwargs=kwargs))


def _send(task: str, *, options: dict[str, Any], kwargs: dict[str, object]) -> None:
    try:
        current_app.send_task(task, kwargs=kwargs, **options)
    except OperationalError as refused:
        # The broker is away. The row is committed and the sweep will find it: the caller gets an answer.
        log.warning("enqueue_refused", task=task, reason=type(refused).__name__)
