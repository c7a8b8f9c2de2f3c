"""A test message to one endpoint."""

from __future__ import annotations

import pytest
from django.utils import timezone
from standardwebhooks.webhooks import Webhook

from moderation.models import AuditEntry, Delivery, User, WebhookEndpoint
from moderation.models.webhooks import EndpointState
from moderation.operations.webhooks import endpoints
from tests.moderation.instants import AT
from tests.moderation.operations.webhooks.deliveries import send
from tests.moderation.receiver import Receiver


def test_arrives_signed(endpoint: WebhookEndpoint, server: Receiver, secret: str, lead: User) -> None:
    now = timezone.now()
    delivery = endpoints.ping(endpoint_id=endpoint.pk, actor=lead, at=now)

    assert send(delivery, now).state == "delivered"
    [(headers, body)] = server.got
    assert Webhook(secret).verify(body, headers)["type"] == "webhook.ping"


def test_is_audited(endpoint: WebhookEndpoint, lead: User) -> None:
    endpoints.ping(endpoint_id=endpoint.pk, actor=lead, at=AT)

    entry = AuditEntry.objects.get(action="webhook.pinged")
    assert (entry.actor, entry.subject_id) == (lead, str(endpoint.pk))


def test_is_refused_where_nothing_is_sent(endpoint: WebhookEndpoint, lead: User) -> None:
    WebhookEndpoint.objects.update(state=EndpointState.DISABLED)

    with pytest.raises(endpoints.NotActive):
        endpoints.ping(endpoint_id=endpoint.pk, actor=lead, at=AT)

    assert not Delivery.objects.exists()
