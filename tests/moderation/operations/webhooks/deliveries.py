"""One delivery sent, and what it is about."""

from __future__ import annotations

from datetime import datetime

from moderation.models import Delivery
from moderation.operations.webhooks import send as webhooks_send


def send(delivery: Delivery, at: datetime) -> Delivery:
    """Serve its endpoint."""
    assert delivery.endpoint_id is not None
    webhooks_send.serve(endpoint_id=delivery.endpoint_id, at=at)
    delivery.refresh_from_db()
    return delivery


def decision_of(delivery: Delivery) -> int:
    assert delivery.decision_id is not None
    return delivery.decision_id
