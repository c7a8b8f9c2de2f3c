"""The app's name and default key type."""

import importlib

from django.apps import AppConfig


class ModerationConfig(AppConfig):
    """Posts, complaints, scores, cases, decisions and everything a person does with them."""

    name = "moderation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the checks."""
        importlib.import_module("moderation.checks")
