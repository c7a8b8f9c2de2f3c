"""After commit, run a task by its name. Imports no task, so operations never depend on them.

A lost message is no loss: the rows say what is open, and the sweep enqueues it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)

SCORING_CHUNK = 64
"""Posts per task: large enough to fill a Triton batch, small enough to finish well within the lease."""


def scoring(*, revision_ids: Sequence[int]) -> None:
    """Score these revisions once the transaction has committed."""
    for start in range(0, len(revision_ids), SCORING_CHUNK):
        chunk = list(revision_ids[start : start + SCORING_CHUNK])
        _after_commit("moderation.tasks.score_revisions", queue="scoring", revision_ids=chunk)


def explanation(*, score_id: int) -> None:
    """Explain the words of a scored post that a human will see."""
    _after_commit("moderation.tasks.explain_score", queue="scoring", score_id=score_id)


def delivery(*, delivery_id: str, countdown_seconds: float = 0) -> None:
    """Send a delivery, not before the time for undoing is over."""
    _after_commit(
        "moderation.tasks.send_delivery",
        queue="default",
        countdown=countdown_seconds,
        delivery_id=delivery_id,
    )


def export(*, export_id: int) -> None:
    """Build a requested export."""
    _after_commit("moderation.tasks.build_export", queue="default", export_id=export_id)


def _after_commit(task: str, *, queue: str, countdown: float = 0, **kwargs: object) -> None:
    transaction.on_commit(partial(_send, task, queue=queue, countdown=countdown, kwargs=kwargs))


def _send(task: str, *, queue: str, countdown: float, kwargs: dict[str, object]) -> None:
    try:
        current_app.send_task(task, kwargs=kwargs, queue=queue, countdown=countdown or None)
    except OperationalError as refused:
        # The broker is away. The row is committed and the sweep will find it: the caller gets an answer.
        log.warning("enqueue_refused", task=task, reason=type(refused).__name__)
