"""The Celery app: settings from Django, tasks from the moderation app."""

import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("spamdesk")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def _keep_django_logging(**_: Any) -> None:
    """Being connected is enough: Celery then leaves the logging that Django set up alone."""


@worker_ready.connect
def _announce(**_: Any) -> None:
    """Tell whoever started this worker that it takes tasks: a file is cheaper to watch than the broker."""
    if announcement := os.environ.get("SPAMDESK_READY_FILE"):
        Path(announcement).touch()
