"""The request's id in the log lines of the tasks that it led to; `enqueue` sends it along."""

from __future__ import annotations

import time
from typing import Any

import structlog
from celery import Task
from celery.signals import task_postrun, task_prerun

log = structlog.get_logger("spamdesk.tasks")

_NAMES = ("request_id", "task", "task_id", "task_began")


@task_prerun.connect
def _bind(task_id: str, task: Task[Any, Any], **_: Any) -> None:
    # From the broker a header is a member of the request itself; called in place, it is among the headers.
    headers = task.request.get("headers") or {}
    request_id = task.request.get("request_id") or headers.get("request_id")
    if request_id:
        structlog.contextvars.bind_contextvars(
            request_id=request_id, task=task.name, task_id=task_id, task_began=time.monotonic()
        )


@task_postrun.connect
def _unbind(state: str = "", **_: Any) -> None:
    """Say that a task of a request is done; what beat asks for says only what it finds."""
    bound = structlog.contextvars.get_contextvars()
    if "task_began" in bound:
        began = bound["task_began"]
        structlog.contextvars.unbind_contextvars("task_began")
        log.info("task", state=state, milliseconds=round(1000 * (time.monotonic() - began)))
    structlog.contextvars.unbind_contextvars(*_NAMES)
