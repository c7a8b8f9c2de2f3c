"""The Django app of integrations."""

from django.apps import AppConfig


class IntegrationsConfig(AppConfig):
    """Its tables are named integrations_…"""

    name = "integrations"
    default_auto_field = "django.db.models.BigAutoField"
