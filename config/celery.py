"""The Celery app: settings from Django, tasks from the moderation app, a request's id in its tasks' logs."""

import gc
import importlib
import os
import time
from collections.abc import Mapping
from contextvars import Token
from pathlib import Path
from typing import Any

import structlog
from celery import Celery, Task
from celery.concurrency import prefork
from celery.signals import (
    beat_init,
    celeryd_init,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_before_create_process,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutting_down,
)
from django.db import close_old_connections
from kombu.transport import redis, virtual

from config import database

log = structlog.get_logger("spamdesk.tasks")

_running: dict[str, tuple[Mapping[str, Token[Any]], float]] = {}
"""By task id: the context bound before it, and its start."""


class ForgivingQoS(redis.QoS):
    """Lets go of a message whose acknowledgement fails: the broker delivers it again, to idempotent tasks.

    kombu counts a message as delivered until its acknowledgement is written, and Celery only logs one that
    was not, so each would take one of the few messages that the worker may hold, for ever. A worker of one
    process thus took no task again after five seconds without an answer from the broker, though its
    connection was intact.
    """

    def ack(self, delivery_tag: Any) -> None:
        """Acknowledge, and give the message's place back in any case."""
        try:
            super().ack(delivery_tag)
        except redis.Transport.connection_errors:
            virtual.QoS.ack(self, delivery_tag)
            raise

    def reject(self, delivery_tag: Any, *arguments: Any, **named: Any) -> None:
        """Reject, and give the message's place back in any case."""
        try:
            super().reject(delivery_tag, *arguments, **named)
        except redis.Transport.connection_errors:
            virtual.QoS.ack(self, delivery_tag)
            raise


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Celery would run Django's system checks and discard their results. They import every page and the whole API:
# nearly half of a worker's start, and a fifth of its memory.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

redis.Channel.QoS = ForgivingQoS
app = Celery("spamdesk")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def _keep_django_logging(**_: Any) -> None:
    """Do nothing: with a receiver connected Celery keeps the logging that Django set up."""


@celeryd_init.connect
def _say_that_it_is_alive(**_: Any) -> None:
    """Let workers show from the start that they are alive; nothing else needs what this imports."""
    importlib.import_module("config.worker_alive").install(app)


@beat_init.connect
@worker_init.connect
def _limit_answers(**_: Any) -> None:
    """Limit the wait for the database: Celery's time limits do not end tasks in threads."""
    database.limit_answers(seconds=database.WORKER_ANSWER_SECONDS)


@worker_shutting_down.connect
def _hand_training_back(**_: Any) -> None:
    """End the training process of this worker, so that another worker takes the run up at once."""
    importlib.import_module("moderation.operations.learning.training_job").stop_worker()


@worker_before_create_process.connect
def _share_memory(**_: Any) -> None:
    """Freeze the garbage collector before the fork: a collection would copy the shared pages."""
    gc.collect()
    gc.freeze()


@task_prerun.connect
def _bind(task_id: str, task: Task[Any, Any], **_: Any) -> None:
    """Put the request id, which `enqueue` sends as a header, into the log lines of the task."""
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


@task_postrun.connect
def _give_connection_back(**_: Any) -> None:
    """Return the task's connection to the pool, which checks it before the next task.

    Celery would close the pool: a new connection, with authentication, for every task.
    """
    close_old_connections()


@beat_init.connect
def _send_heartbeats_of_beat(sender: Any, **_: Any) -> None:
    _heartbeat().start(["beat"], is_working=sender.scheduler.reaches_the_broker)


@worker_process_init.connect
def _send_heartbeats(**_: Any) -> None:
    """Send them from each process that runs tasks, since each has a pool of connections of its own."""
    alive = importlib.import_module("config.worker_alive")
    _heartbeat().start(app.amqp.queues.consume_from, is_working=alive.takes_messages)


def _heartbeat() -> Any:
    return importlib.import_module("config.heartbeat")  # with models, which need Django's set-up


@worker_ready.connect
def _announce(sender: Any, **_: Any) -> None:
    """Write the ready file of this worker: a file is cheaper to watch than the broker."""
    if not isinstance(sender.pool, prefork.TaskPool):
        _send_heartbeats()
    if announcement := os.environ.get("SPAMDESK_READY_FILE"):
        Path(announcement).touch()
