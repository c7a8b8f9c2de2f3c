"""The app's name and default key type."""

from django.apps import AppConfig


class ModerationConfig(AppConfig):
    """Posts, complaints, scores, cases, decisions and everything a person does with them."""

    name = "moderation"
    default_auto_field = "django.db.models.BigAutoField"
