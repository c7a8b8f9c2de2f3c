"""The app's name and default key type."""

import importlib

from django.apps import AppConfig


class ModerationConfig(AppConfig):
    """The one Django app of the product."""

    name = "moderation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the checks."""
        importlib.import_module("moderation.checks")
