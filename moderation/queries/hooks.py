"""A platform's webhook endpoints and the log of what was sent to them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db.models import Prefetch, Q

from moderation.models import Delivery, Platform, SigningSecret, WebhookEndpoint
from moderation.models.webhooks import EndpointState


def endpoints(*, platform: Platform) -> list[WebhookEndpoint]:
    """Return the endpoints that were not removed, with their secrets."""
    rows = WebhookEndpoint.objects.filter(platform=platform).exclude(state=EndpointState.REMOVED)
    rows = rows.select_related("circuit")
    return list(rows.prefetch_related(Prefetch("secrets", SigningSecret.objects.order_by("-id"))))


def endpoint(*, platform: Platform, endpoint_id: int) -> WebhookEndpoint:
    """Return one of them. Raises WebhookEndpoint.DoesNotExist."""
    rows = WebhookEndpoint.objects.filter(platform=platform).exclude(state=EndpointState.REMOVED)
    return rows.select_related("circuit").get(pk=endpoint_id)


def deliveries(
    *, endpoint: WebhookEndpoint, state: str, after: tuple[datetime, str] | None, limit: int
) -> tuple[list[Delivery], bool]:
    """Return deliveries, the newest first, and whether there are more."""
    rows = Delivery.objects.filter(endpoint=endpoint)
    if state:
        rows = rows.filter(state=state)
    if after is not None:
        created_at, last = after
        rows = rows.filter(Q(created_at__lt=created_at) | Q(created_at=created_at, id__lt=UUID(last)))
    found = list(rows.select_related("post").order_by("-created_at", "-id")[: limit + 1])
    return found[:limit], len(found) > limit


def delivery(*, platform: Platform, delivery_id: str) -> Delivery:
    """Return a delivery of this platform with its log. Raises Delivery.DoesNotExist."""
    try:
        number = UUID(delivery_id)
    except ValueError:
        raise Delivery.DoesNotExist from None
    rows = Delivery.objects.filter(platform=platform, endpoint__isnull=False)
    return rows.select_related("post").prefetch_related("log").get(pk=number)
