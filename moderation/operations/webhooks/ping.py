"""Send a test message to an endpoint: whoever sets it up sees whether it arrives and is understood."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from moderation import enqueue
from moderation.models import Delivery, User, WebhookEndpoint
from moderation.models.webhooks import EndpointState
from moderation.operations.audit import entries
from moderation.operations.webhooks import circuit
from moderation.queries import wire

EVENT = "webhook.ping"


class NotActive(Exception):
    """Nothing is sent to this endpoint."""


def send(*, endpoint_id: int, actor: User, at: datetime) -> Delivery:
    """Put a test message into the outbox, due at once. Raises WebhookEndpoint.DoesNotExist or NotActive."""
    with transaction.atomic():
        endpoint = WebhookEndpoint.objects.select_for_update().get(pk=endpoint_id)
        if endpoint.state != EndpointState.ACTIVE:
            raise NotActive
        data = {"endpoint": str(endpoint.pk)}
        delivery = Delivery.objects.create(
            platform_id=endpoint.platform_id,
            endpoint=endpoint,
            event=EVENT,
            body={"type": EVENT, "timestamp": wire.instant(at), "data": data},
            created_at=at,
            next_attempt_at=at,
        )
        entries.add(
            action="webhook.pinged", subject_kind="webhook", subject_id=endpoint.pk, actor=actor, at=at
        )
        circuit.try_now(endpoint_id=endpoint.pk, at=at)
        enqueue.deliveries(endpoint_id=endpoint.pk)
    return delivery
