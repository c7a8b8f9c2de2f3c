"""Connect a platform, sign in there, change what it may do here, remove it."""

import json
import secrets
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlsplit

from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from integrations.calls import Calls, Unreachable, Unusable
from integrations.connector import Connector, SignsIn
from integrations.connectors import CONNECTORS
from integrations.models import Integration, IntegrationState
from moderation import enqueue
from moderation.models import ActionRule, Delivery, Platform, User, WebhookEndpoint
from moderation.models.actions import DecidedBy
from moderation.models.decisions import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.models.webhooks import WebhookEvent
from moderation.operations.accounts import platforms
from moderation.operations.audit import entries
from moderation.operations.infrastructure import egress, vault
from moderation.operations.refusals import Refusal
from moderation.operations.webhooks import circuit, endpoints

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
    platform: Platform | None,
    kind: str,
    base_url: str,
    credentials: Mapping[str, str],
    actor: User,
    at: datetime,
    redirect_uri: str = "",
) -> Integration:
    """Connect a server; without a platform a new one is named after it. Call outside a transaction.

    From then on a person decides what is reported on the platform.

    Credentials are tried first. Where people sign in by the browser, who ends up at `redirect_uri`, we are
    made known there, and the integration waits for `sign_in`. Raises CannotConnect or vault.MissingKey.
    """
    connector, base_url = CONNECTORS[kind], base_url.rstrip("/")
    try:
        egress.check(base_url)
        http = Calls(base_url)
        if issubclass(connector, SignsIn):
            name, credentials = "", connector.register(http, redirect_uri=redirect_uri)
        else:
            name = connector(http, credentials).check()
    except (egress.Refused, Unusable, Unreachable) as refusal:
        raise CannotConnect(str(refusal)) from refusal
    try:
        with transaction.atomic():
            integration = Integration.objects.create(
                platform=platform or _named_after(base_url, actor=actor, at=at),
                kind=kind,
                base_url=base_url,
                credentials=vault.encrypt(json.dumps(dict(credentials))),
                hook=secrets.token_urlsafe(24),
                created_at=at,
            )
            _audit("integration.added", integration, actor=actor, at=at, kind=kind, url=base_url)
            platforms.change(platform_id=integration.platform_id, actor=actor, at=at, reviews_reports=True)
            _suggest(connector, platform=integration.platform, actor=actor, at=at)
            if name:
                _activate(integration, name=name, actor=actor, at=at)
    except IntegrityError:
        raise CannotConnect(_("This server is connected already.")) from None
    return integration


def sign_in(
    *, integration_id: int, given: Mapping[str, str], actor: User, at: datetime, redirect_uri: str = ""
) -> Integration:
    """Sign in, for the first time or again: with the code of the browser, or with what was typed.

    Call outside a transaction: it waits for the platform. Raises CannotConnect.
    """
    integration = Integration.objects.get(pk=integration_id)
    kind, http = CONNECTORS[integration.kind], Calls(integration.base_url)
    credentials = json.loads(vault.decrypt(integration.credentials))
    try:
        if issubclass(kind, SignsIn):
            given = kind.exchange(http, credentials, code=given["code"], redirect_uri=redirect_uri)
        credentials |= given
        name = kind(http, credentials).check()
    except (Unusable, Unreachable) as refusal:
        raise CannotConnect(str(refusal)) from refusal
    with transaction.atomic():
        integration = Integration.objects.select_for_update(of=("self",)).get(pk=integration_id)
        integration.credentials = vault.encrypt(json.dumps(credentials))
        _activate(integration, name=name, actor=actor, at=at)
    return integration


def _activate(integration: Integration, *, name: str, actor: User, at: datetime) -> None:
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
    _deliver_now(integration.endpoint.pk, at=at)
    _audit("integration.signed_in", integration, actor=actor, at=at, name=name)


def _deliver_now(endpoint_id: int, *, at: datetime) -> None:
    """Let decisions go out that waited for a sign-in or the end of a pause."""
    circuit.forget(endpoint_id=endpoint_id)
    waiting = Delivery.objects.filter(endpoint=endpoint_id, state=DeliveryState.WAITING, attempts__gt=0)
    waiting.update(next_attempt_at=at)
    enqueue.deliveries(endpoint_id=endpoint_id)


def _named_after(base_url: str, *, actor: User, at: datetime) -> Platform:
    host = urlsplit(base_url).hostname or "server"
    slug = slugify(host.replace(".", "-"))[:60]
    try:
        return platforms.create(slug=slug, name=host, actor=actor, at=at)
    except platforms.SlugTaken:
        return Platform.objects.get(slug=slug)


def _suggest(connector: type[Connector], *, platform: Platform, actor: User, at: datetime) -> None:
    """Let people's spam decisions do what the connector suggests, unless the platform has chosen.

    A second person confirms what cannot be undone.
    """
    if not ActionRule.objects.filter(platform=platform).exists():
        about = {"verdict": Verdict.SPAM, "reason": "", "decided_by": DecidedBy.PERSON}
        action = connector.default_action
        chosen = {"action": action, "needs_second_name": action in connector.final}
        platforms.set_action(platform_id=platform.pk, about=about, actor=actor, at=at, **chosen)


def change(
    *,
    integration_id: int,
    actor: User,
    at: datetime,
    is_dry_run: bool | None = None,
    is_paused: bool | None = None,
    takes_direct_messages: bool | None = None,
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
            if not is_paused and integration.endpoint_id is not None:
                _deliver_now(integration.endpoint_id, at=at)
        if takes_direct_messages is not None:
            changes["takes_direct_messages"] = integration.takes_direct_messages = takes_direct_messages
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
        if integration.endpoint_id is not None:
            endpoints.remove(endpoint_id=integration.endpoint_id, actor=actor, at=at)
        _audit("integration.removed", integration, actor=actor, at=at)
