"""A platform's webhook endpoints and the log of deliveries to them."""

from datetime import datetime
from uuid import UUID

from django.db.models import Prefetch, QuerySet, prefetch_related_objects

from moderation.models import Delivery, Platform, SigningSecret, WebhookEndpoint
from moderation.models.webhooks import EndpointState
from moderation.queries import keyset
from moderation.queries.keyset import Key, Page


def endpoints(*, platform: Platform) -> list[WebhookEndpoint]:
    """Return the endpoints that are not removed, with their secrets."""
    rows = _own(platform)
    return list(rows.prefetch_related(Prefetch("secrets", SigningSecret.objects.order_by("-id"))))


def endpoint(*, platform: Platform, endpoint_id: int) -> WebhookEndpoint:
    """Return an endpoint of the platform. Raises WebhookEndpoint.DoesNotExist."""
    return _own(platform).get(pk=endpoint_id)


def _own(platform: Platform) -> QuerySet[WebhookEndpoint]:
    """Return what a platform knows as its endpoints: not those of integrations."""
    rows = WebhookEndpoint.objects.filter(platform=platform, is_integration=False)
    return rows.exclude(state=EndpointState.REMOVED).select_related("circuit")


def deliveries(
    *, endpoint: WebhookEndpoint, state: str = "", after: Key | None = None, limit: int = 50
) -> Page[Delivery]:
    """Return deliveries, the newest first."""
    rows = Delivery.objects.filter(endpoint=endpoint).select_related("post")
    if state:
        rows = rows.filter(state=state)
    return keyset.page(rows, order=("-created_at", "-pk"), after=after, limit=limit)


def log(*, endpoint: WebhookEndpoint, state: str, cursor: str) -> Page[Delivery]:
    """Return deliveries with their attempts for the desk, the newest first. Raises InvalidCursor."""
    page = deliveries(endpoint=endpoint, state=state, after=keyset.after(cursor, datetime, UUID))
    prefetch_related_objects(page.rows, "log")
    return page


def delivery(*, platform: Platform, delivery_id: str) -> Delivery:
    """Return a delivery of this platform with its log. Raises Delivery.DoesNotExist."""
    try:
        number = UUID(delivery_id)
    except ValueError:
        raise Delivery.DoesNotExist from None
    rows = Delivery.objects.filter(platform=platform)
    return rows.select_related("post").prefetch_related("log").get(pk=number)
