"""Platforms with their keys and endpoints."""

from datetime import datetime

from django.db.models import Count, Prefetch, Q

from moderation.models import AkismetAlias, ApiKey, Platform, WebhookEndpoint
from moderation.models.webhooks import EndpointState


def listed(*, at: datetime) -> list[Platform]:
    """Return every platform with `live_keys` valid keys and `live_endpoints` active endpoints."""
    live = Q(api_keys__revoked_at__isnull=True) & (
        Q(api_keys__expires_at__isnull=True) | Q(api_keys__expires_at__gt=at)
    )
    active = Q(webhook_endpoints__state=EndpointState.ACTIVE)
    counted = Platform.objects.annotate(
        live_keys=Count("api_keys", filter=live, distinct=True),
        live_endpoints=Count("webhook_endpoints", filter=active, distinct=True),
    )
    return list(counted.select_related("deletion").order_by("slug"))


def endpoints(*, platform_id: int) -> list[WebhookEndpoint]:
    """Return the endpoints that a platform has, the oldest first."""
    rows = WebhookEndpoint.objects.filter(platform=platform_id, is_integration=False).exclude(
        state=EndpointState.REMOVED
    )
    return list(rows.select_related("circuit").order_by("id"))


def keys(*, platform_id: int) -> list[ApiKey]:
    """Return a platform's keys, with aliases that are not revoked: valid ones first, then by age."""
    aliases = Prefetch("akismet_aliases", AkismetAlias.objects.filter(revoked_at__isnull=True))
    rows = ApiKey.objects.filter(platform=platform_id).prefetch_related(aliases)
    return sorted(rows, key=lambda key: (key.revoked_at is not None, -key.created_at.timestamp()))
