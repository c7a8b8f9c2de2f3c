"""Wiring only: settings, URLs, the Celery app, the web server. Only the servers import it."""

# Processes with these settings publish tasks through this app; without it Celery would create a default one.
from config.celery import app as celery_app

__all__ = ["celery_app"]
