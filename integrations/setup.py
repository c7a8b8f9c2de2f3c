"""Connect a platform, sign in there, change what it may do here, remove it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from datetime import datetime

from django.db import IntegrityError, transaction

from integrations.calls import Calls
from integrations.connector import Unreachable, Unusable
from integrations.connectors import CONNECTORS
from integrations.models import Integration, IntegrationState
from moderation.models import Delivery, Platform, User, WebhookEndpoint
from moderation.models.deliveries import DeliveryState
from moderation.models.webhooks import EndpointState, WebhookEvent
from moderation.operations.audit import entries
from moderation.operations.infrastructure import egress, vault
from moderation.operations.refusals import Refusal

_audit = entries.writer("integration", platform="platform_id")
_EVENTS = (
    WebhookEvent.DECISION_CREATED,
    WebhookEvent.DECISION_REVERSED,
    WebhookEvent.ACTION_CONFIRMED,
    WebhookEvent.ACTION_ENDED,
)


class CannotConnect(Refusal):
    """The platform did not accept us; the text says what to do."""


def connect(
    *,
    platform: Platform,
    kind: str,
    base_url: str,
    credentials: Mapping[str, str],
    actor: User,
    at: datetime,
) -> Integration:
    """Store a new integration, which waits for `sign_in`. Raises CannotConnect, vault.MissingKey."""
    try:
        egress.check(base_url)
    except egress.Refused as refusal:
        raise CannotConnect(str(refusal)) from refusal
    try:
        with transaction.atomic():
            integration = Integration.objects.create(
                platform=platform,
                kind=kind,
                base_url=base_url.rstrip("/"),
                credentials=vault.encrypt(json.dumps(dict(credentials))),
                door=secrets.token_urlsafe(24),
                created_at=at,
            )
            _audit("integration.added", integration, actor=actor, at=at, kind=kind, url=base_url)
    except IntegrityError:
        raise CannotConnect("This server is connected already.") from None
    return integration


def register(*, integration_id: int, redirect_uri: str) -> None:
    """Make us known to a platform where people sign in by the browser. Raises CannotConnect."""
    integration = Integration.objects.get(pk=integration_id)
    kind, http = CONNECTORS[integration.kind], Calls(integration.base_url, log=lambda _: None)
    try:
        registered = kind.register(http, redirect_uri=redirect_uri)
    except (Unusable, Unreachable) as refusal:
        integration.delete()  # the address was wrong: nothing came of it
        raise CannotConnect(str(refusal)) from refusal
    integration.credentials = vault.encrypt(json.dumps(dict(registered)))
    integration.save(update_fields=["credentials"])


def exchange(*, integration_id: int, code: str, redirect_uri: str) -> Mapping[str, str]:
    """Return the credentials that a finished sign-in in the browser gives. Raises CannotConnect."""
    integration = Integration.objects.get(pk=integration_id)
    kind, http = CONNECTORS[integration.kind], Calls(integration.base_url, log=lambda _: None)
    credentials = json.loads(vault.decrypt(integration.credentials))
    try:
        return kind.exchange(http, credentials, code=code, redirect_uri=redirect_uri)
    except (Unusable, Unreachable) as refusal:
        raise CannotConnect(str(refusal)) from refusal


def sign_in(*, integration_id: int, credentials: Mapping[str, str], actor: User, at: datetime) -> Integration:
    """Try the credentials at the platform, keep them and begin asking. Raises CannotConnect.

    Earlier credentials stay where they are not given anew. Call outside a transaction: it waits for the
    platform.
    """
    integration = Integration.objects.get(pk=integration_id)
    merged = json.loads(vault.decrypt(integration.credentials)) | dict(credentials)
    try:
        name = CONNECTORS[integration.kind](Calls(integration.base_url, log=lambda _: None), merged).check()
    except (Unusable, Unreachable) as refusal:
        raise CannotConnect(str(refusal)) from refusal
    with transaction.atomic():
        integration = Integration.objects.select_for_update().get(pk=integration_id)
        integration.credentials = vault.encrypt(json.dumps(merged))
        integration.signed_in_as, integration.state = name[:300], IntegrationState.ACTIVE
        integration.next_poll_at, integration.failures, integration.last_error = at, 0, ""
        if integration.endpoint is None:
            integration.endpoint = WebhookEndpoint.objects.create(
                platform_id=integration.platform_id,
                url=integration.base_url,
                events=[str(event) for event in _EVENTS],
                is_integration=True,
                created_at=at,
                changed_at=at,
            )
        integration.save()
        _audit("integration.signed_in", integration, actor=actor, at=at, name=name)
    return integration


def change(
    *,
    integration_id: int,
    actor: User,
    at: datetime,
    is_dry_run: bool | None = None,
    is_paused: bool | None = None,
    webhook_secret: str | None = None,
) -> Integration:
    """Change what is not None. A secret is stored encrypted. Raises vault.MissingKey."""
    with transaction.atomic():
        integration = Integration.objects.select_for_update().get(pk=integration_id)
        changes: dict[str, object] = {}
        if is_dry_run is not None:
            changes["is_dry_run"] = integration.is_dry_run = is_dry_run
        if is_paused is not None and integration.state in (IntegrationState.ACTIVE, IntegrationState.PAUSED):
            integration.state = IntegrationState.PAUSED if is_paused else IntegrationState.ACTIVE
            integration.next_poll_at, changes["state"] = at, str(integration.state)
        if webhook_secret is not None:
            integration.webhook_secret = vault.encrypt(webhook_secret) if webhook_secret else ""
            changes["webhook_secret"] = "set" if webhook_secret else "removed"
        integration.save()
        _audit("integration.changed", integration, actor=actor, at=at, **changes)
    return integration


def remove(*, integration_id: int, actor: User, at: datetime) -> None:
    """Forget the credentials and stop; what was done on the platform stays, and so does the log."""
    with transaction.atomic():
        integration = Integration.objects.select_for_update().get(pk=integration_id)
        integration.state = IntegrationState.REMOVED
        integration.credentials = integration.webhook_secret = ""
        integration.save()
        endpoint = integration.endpoint
        if endpoint is not None:
            endpoint.state, endpoint.state_reason = EndpointState.REMOVED, "removed"
            endpoint.save(update_fields=["state", "state_reason"])
            Delivery.objects.filter(endpoint=endpoint, state=DeliveryState.WAITING).update(
                state=DeliveryState.CANCELLED, last_error="The integration was removed."
            )
        _audit("integration.removed", integration, actor=actor, at=at)
