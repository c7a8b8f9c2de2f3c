"""The Celery app: settings from Django, tasks from the moderation app."""

import importlib
import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_init, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

importlib.import_module("config.task_logs")  # connects itself to Celery's signals

app = Celery("spamdesk")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def _keep_django_logging(**_: Any) -> None:
    """Being connected is enough: Celery then leaves the logging that Django set up alone."""


@worker_init.connect
def _import_slow_libraries(**_: Any) -> None:
    """Import shap before processes are forked: on a busy machine that outlasts a task's time limit.

    A process killed for it would only begin again. So they share its memory, too.
    """
    importlib.import_module("shap")


@worker_ready.connect
def _announce(**_: Any) -> None:
    """Tell whoever started this worker that it takes tasks: a file is cheaper to watch than the broker."""
    if announcement := os.environ.get("SPAMDESK_READY_FILE"):
        Path(announcement).touch()
