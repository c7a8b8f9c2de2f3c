"""Fixtures of actions: endpoints that take every event."""

import pytest

from moderation.models import Platform, WebhookEndpoint
from moderation.models.webhooks import WebhookEvent


@pytest.fixture
def every_event(webhook: Platform) -> None:
    """The platform's endpoint takes every event."""
    WebhookEndpoint.objects.update(events=WebhookEvent.values)
