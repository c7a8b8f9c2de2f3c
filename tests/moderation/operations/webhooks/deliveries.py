"""Deliveries that the tests send and count, and what these are about."""

from collections.abc import Callable
from datetime import datetime

from moderation.models import Delivery
from moderation.operations.webhooks import circuit
from moderation.operations.webhooks import send as webhooks_send

LEASE_SECONDS = circuit.LEASE.total_seconds()

Make = Callable[..., list[Delivery]]


def send(delivery: Delivery, at: datetime) -> Delivery:
    """Serve its endpoint."""
    assert delivery.endpoint_id is not None
    webhooks_send.serve(endpoint_id=delivery.endpoint_id, at=at)
    delivery.refresh_from_db()
    return delivery


def decision_of(delivery: Delivery) -> int:
    assert delivery.decision_id is not None
    return delivery.decision_id


def counted(state: str) -> int:
    return Delivery.objects.filter(state=state).count()
