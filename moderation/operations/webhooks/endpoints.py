"""Webhook endpoints of a platform: add, change, rotate the secret, try with a message, remove."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from moderation import enqueue
from moderation.models import Delivery, Platform, SigningSecret, User, WebhookEndpoint
from moderation.models.deliveries import DeliveryState
from moderation.models.notifications import NotificationKind
from moderation.models.webhooks import EndpointState, SignatureKind
from moderation.operations.audit import entries
from moderation.operations.infrastructure import egress
from moderation.operations.notifications import notify
from moderation.operations.refusals import Refusal
from moderation.operations.webhooks import circuit, sign
from moderation.queries import wire

_audit = entries.writer("webhook", platform="platform_id")
MAX_ENDPOINTS = 20
PING = "webhook.ping"


class AlreadyThere(Exception):
    """The platform has an endpoint with this address."""


class TooMany(Exception):
    """The platform has the maximum number of endpoints."""


class Changed(Exception):
    """Somebody changed the endpoint since it was read."""


class NotActive(Refusal):
    """Nothing is sent to this endpoint."""


def add(
    *,
    platform: Platform,
    url: str,
    at: datetime,
    events: Sequence[str] = (),
    kind: SignatureKind = SignatureKind.HMAC,
    actor: User | None = None,
) -> tuple[WebhookEndpoint, str]:
    """Return a new endpoint with its secret (or public key), which is shown this once.

    Raises egress.Refused, AlreadyThere, TooMany or vault.MissingKey.
    """
    egress.check(url)
    secret = sign.make(kind)
    try:
        with transaction.atomic():
            # Not serialised: two requests at once may make one more, which does no harm.
            if platform.webhook_endpoints.exclude(state=EndpointState.REMOVED).count() >= MAX_ENDPOINTS:
                raise TooMany(f"A platform has at most {MAX_ENDPOINTS} endpoints.")
            endpoint = WebhookEndpoint.objects.create(
                platform=platform, url=url, events=list(events), created_at=at, changed_at=at
            )
            _keep(secret, endpoint=endpoint, at=at)
            _audit("webhook.added", endpoint, actor=actor, at=at, url=url)
    except IntegrityError:
        raise AlreadyThere("The platform has an endpoint with this address.") from None
    return endpoint, secret.shown


def change(
    *,
    endpoint_id: int,
    at: datetime,
    url: str | None = None,
    events: Sequence[str] | None = None,
    is_active: bool | None = None,
    version: int | None = None,
    actor: User | None = None,
) -> WebhookEndpoint:
    """Change what is not None. Raises egress.Refused, AlreadyThere, or Changed if `version` is older."""
    if url is not None:
        egress.check(url)
    try:
        with transaction.atomic():
            endpoint = _locked(endpoint_id)
            if version is not None and version != endpoint.version:
                raise Changed("The endpoint was changed since it was read.")
            endpoint.url = endpoint.url if url is None else url
            endpoint.events = endpoint.events if events is None else list(events)
            if is_active is not None:
                endpoint.state = EndpointState.ACTIVE if is_active else EndpointState.DISABLED
                endpoint.state_reason = "" if is_active else "disabled by the platform"
            _save(endpoint, at=at)
            circuit.forget(endpoint_id=endpoint.pk)
            _audit("webhook.changed", endpoint, actor=actor, at=at, url=endpoint.url, state=endpoint.state)
            if endpoint.state == EndpointState.DISABLED:
                fail_waiting(endpoint)
    except IntegrityError:
        raise AlreadyThere("The platform has an endpoint with this address.") from None
    return endpoint


def remove(*, endpoint_id: int, at: datetime, actor: User | None = None) -> None:
    """Remove an endpoint with its secrets; its log stays."""
    with transaction.atomic():
        endpoint = _locked(endpoint_id)
        endpoint.state, endpoint.state_reason = EndpointState.REMOVED, "removed"
        _save(endpoint, at=at)
        endpoint.secrets.all().delete()
        Delivery.objects.filter(endpoint=endpoint, state=DeliveryState.WAITING).update(
            state=DeliveryState.CANCELLED, last_error="The endpoint was removed."
        )
        _audit("webhook.removed", endpoint, actor=actor, at=at)


def disable(*, endpoint_id: int, reason: str, at: datetime) -> None:
    """Disable an endpoint that answered 410; waiting deliveries fail visibly and can be replayed."""
    with transaction.atomic():
        endpoint = _locked(endpoint_id)
        if endpoint.state != EndpointState.ACTIVE:
            return
        endpoint.state, endpoint.state_reason = EndpointState.DISABLED, reason[:200]
        _save(endpoint, at=at)
        fail_waiting(endpoint)
        _audit("webhook.disabled", endpoint, actor=None, at=at, reason=reason)
        notify.write(
            kind=NotificationKind.ENDPOINT, subject=endpoint.pk, platform_id=endpoint.platform_id, at=at
        )


def rotate(
    *,
    endpoint_id: int,
    overlap: timedelta,
    at: datetime,
    kind: SignatureKind = SignatureKind.HMAC,
    actor: User | None = None,
) -> tuple[SigningSecret, str]:
    """Create a new secret; earlier ones also sign until the overlap ends. Raises vault.MissingKey."""
    secret = sign.make(kind)
    with transaction.atomic():
        endpoint = _locked(endpoint_id)
        ends_at = at + overlap
        endpoint.secrets.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=ends_at)).update(
            expires_at=ends_at
        )
        row = _keep(secret, endpoint=endpoint, at=at)
        _audit("webhook.secret_rotated", endpoint, actor=actor, at=at, kind=kind)
    return row, secret.shown


def fail_waiting(endpoint: WebhookEndpoint) -> None:
    """Fail the waiting deliveries of an inactive endpoint; they can be replayed once it is active again."""
    Delivery.objects.filter(endpoint=endpoint, state=DeliveryState.WAITING).update(
        state=DeliveryState.FAILED, last_error="The endpoint is disabled."
    )


def _locked(endpoint_id: int) -> WebhookEndpoint:
    return WebhookEndpoint.objects.select_for_update().get(pk=endpoint_id)


def _save(endpoint: WebhookEndpoint, *, at: datetime) -> None:
    endpoint.version += 1
    endpoint.changed_at = at
    endpoint.save(update_fields=("url", "events", "state", "state_reason", "version", "changed_at"))


def _keep(secret: sign.NewSecret, *, endpoint: WebhookEndpoint, at: datetime) -> SigningSecret:
    return SigningSecret.objects.create(
        endpoint=endpoint,
        kind=secret.kind,
        ciphertext=secret.ciphertext,
        public_key=secret.public_key,
        created_at=at,
    )


def ping(*, endpoint_id: int, actor: User, at: datetime) -> Delivery:
    """Put a test message into the outbox, due at once. Raises WebhookEndpoint.DoesNotExist or NotActive."""
    with transaction.atomic():
        endpoint = _locked(endpoint_id)
        if endpoint.state != EndpointState.ACTIVE:
            raise NotActive(_("Nothing is sent to inactive endpoints."))
        data = {"endpoint": str(endpoint.pk)}
        delivery = Delivery.objects.create(
            platform_id=endpoint.platform_id,
            endpoint=endpoint,
            event=PING,
            body={"type": PING, "timestamp": wire.instant(at), "data": data},
            created_at=at,
            next_attempt_at=at,
        )
        entries.add(
            action="webhook.pinged", subject_kind="webhook", subject_id=endpoint.pk, actor=actor, at=at
        )
        circuit.try_now(endpoint_id=endpoint.pk, at=at)
        enqueue.deliveries(endpoint_id=endpoint.pk)
    return delivery
