"""The Celery app: settings from Django, tasks from the moderation app."""

import gc
import importlib
import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import (
    setup_logging,
    task_postrun,
    worker_before_create_process,
    worker_init,
    worker_ready,
)
from django.db import close_old_connections

from config import database

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

importlib.import_module("config.task_logs")  # connects itself to Celery's signals

app = Celery("spamdesk")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def _keep_django_logging(**_: Any) -> None:
    """Being connected is enough: Celery then leaves the logging that Django set up alone."""


@worker_init.connect
def _limit_answers(**_: Any) -> None:
    """Wait for the database no longer than a task may take: a time limit ends no task in a thread."""
    database.limit_answers(seconds=database.WORKER_ANSWER_SECONDS)


@worker_init.connect
def _import_slow_libraries(sender: Any, **_: Any) -> None:
    """Import shap, where words are explained, before processes are forked: on a busy machine that outlasts a
    task's time limit.

    A process killed for it would only begin again. So they share its memory, too.
    """
    if "explanations" in sender.app.amqp.queues.consume_from:
        importlib.import_module("shap")


@worker_before_create_process.connect
def _share_memory(**_: Any) -> None:
    """Keep the garbage collector off what a forked process shares with its parent: looking copies it."""
    gc.collect()
    gc.freeze()


@task_postrun.connect
def _give_connection_back(**_: Any) -> None:
    """Return the task's connection to the pool, which looks whether it still works before the next task.

    Celery's own way is to close the pool: a new connection, with its password, for every task.
    """
    close_old_connections()


@worker_ready.connect
def _announce(**_: Any) -> None:
    """Tell whoever started this worker that it takes tasks: a file is cheaper to watch than the broker."""
    if announcement := os.environ.get("SPAMDESK_READY_FILE"):
        Path(announcement).touch()
