"""Wiring only: settings, addresses, the Celery app, the web server. Nothing imports it but the servers."""

# Whoever reads the settings publishes tasks through this app; without it Celery would make one of its own.
from config.celery import app as celery_app

__all__ = ["celery_app"]
