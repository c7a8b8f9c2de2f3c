"""Send deliveries to the platform's webhook, signed by the Standard Webhooks specification.

A delivery is retried over days and ends delivered or visibly failed. Without a signing secret it waits:
nothing leaves unsigned. Redirects are not followed.
"""

from __future__ import annotations

import json
import random
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from standardwebhooks.webhooks import Webhook

from moderation import enqueue
from moderation.models import Delivery
from moderation.models.deliveries import DeliveryState
from moderation.operations import egress

log = structlog.get_logger(__name__)

RETRY_SECONDS = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Pauses between attempts, as the specification recommends; a quarter of each is added at random."""

LEASE_SECONDS = 30
GONE = 410


def send(*, delivery_id: str, at: datetime) -> None:
    """Attempt one delivery if it is due. Safe to run twice: the first to claim the attempt makes it."""
    delivery = _claim(delivery_id=delivery_id, at=at)
    if delivery is None:
        return
    try:
        status = _post(delivery, at=at)
    except (egress.Refused, egress.Failed, MissingSecret) as failure:
        _record(delivery, at=at, error=str(failure), is_permanent=isinstance(failure, egress.Refused))
        return
    if 200 <= status < 300:
        _record(delivery, at=at, error="", is_permanent=False)
    else:
        _record(delivery, at=at, error=f"HTTP status {status}", is_permanent=status == GONE)


def sweep(*, at: datetime, limit: int = 500) -> int:
    """Enqueue deliveries that are due; return how many."""
    due = list(
        Delivery.objects.filter(state=DeliveryState.WAITING, next_attempt_at__lte=at)
        .order_by("next_attempt_at", "id")
        .values_list("pk", flat=True)[:limit]
    )
    with transaction.atomic():
        for delivery_id in due:
            enqueue.delivery(delivery_id=str(delivery_id))
    return len(due)


class MissingSecret(Exception):
    """The platform has a webhook address but no signing secret."""


def _claim(*, delivery_id: str, at: datetime) -> Delivery | None:
    """Push the next attempt into the future, so that a second worker finds nothing due while we send."""
    claimed = Delivery.objects.filter(
        pk=delivery_id, state=DeliveryState.WAITING, next_attempt_at__lte=at
    ).update(next_attempt_at=at + timedelta(seconds=LEASE_SECONDS))
    if not claimed:
        return None
    return Delivery.objects.select_related("platform").get(pk=delivery_id)


def _post(delivery: Delivery, *, at: datetime) -> int:
    platform = delivery.platform
    if not platform.webhook_secret:
        raise MissingSecret("No signing secret is set for the platform; the delivery waits.")
    body = json.dumps(delivery.body, separators=(",", ":"), ensure_ascii=False)
    signature = Webhook(platform.webhook_secret).sign(msg_id=str(delivery.pk), timestamp=at, data=body)
    return egress.post(
        url=platform.webhook_url,
        body=body.encode(),
        headers={
            "content-type": "application/json",
            "webhook-id": str(delivery.pk),
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": signature,
        },
    )


def _record(delivery: Delivery, *, at: datetime, error: str, is_permanent: bool) -> None:
    delivery.attempts += 1
    delivery.last_error = error[:500]
    if not error:
        delivery.state = DeliveryState.DELIVERED
        delivery.delivered_at = at
    elif is_permanent or delivery.attempts > len(RETRY_SECONDS):
        delivery.state = DeliveryState.FAILED
    else:
        pause = RETRY_SECONDS[delivery.attempts - 1]
        delivery.next_attempt_at = at + timedelta(seconds=pause * random.uniform(1, 1.25))  # noqa: S311 - jitter
    # Only a delivery that still waits is written: one cancelled or delivered meanwhile keeps its state.
    Delivery.objects.filter(pk=delivery.pk, state=DeliveryState.WAITING).update(
        attempts=delivery.attempts,
        last_error=delivery.last_error,
        state=delivery.state,
        delivered_at=delivery.delivered_at,
        next_attempt_at=delivery.next_attempt_at,
    )
    if error:
        log.info(
            "delivery_failed", delivery=str(delivery.pk), attempts=delivery.attempts, state=delivery.state
        )
