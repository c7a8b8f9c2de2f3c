"""The request id in the log lines of its tasks; `enqueue` sends it as a header."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextvars import Token
from typing import Any

import structlog
from celery import Task
from celery.signals import task_postrun, task_prerun

log = structlog.get_logger("spamdesk.tasks")

_running: dict[str, tuple[Mapping[str, Token[Any]], float]] = {}
"""By task id: the context bound before it, and its start."""


@task_prerun.connect
def _bind(task_id: str, task: Task[Any, Any], **_: Any) -> None:
    # From the broker a header is an attribute of the request; in eager mode it is in `headers`.
    headers = task.request.get("headers") or {}
    request_id = task.request.get("request_id") or headers.get("request_id")
    if request_id:
        bound = structlog.contextvars.bind_contextvars(request_id=request_id, task=task.name, task_id=task_id)
        _running[task_id] = (bound, time.monotonic())


@task_postrun.connect
def _unbind(task_id: str, state: str = "", **_: Any) -> None:
    """Log the end of a task of a request; tasks of beat log only what they find."""
    if task_id in _running:
        bound, began = _running.pop(task_id)
        log.info("task", state=state, milliseconds=round(1000 * (time.monotonic() - began)))
        structlog.contextvars.reset_contextvars(**bound)
