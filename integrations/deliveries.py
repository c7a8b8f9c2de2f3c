"""Deliveries of platforms: stored at once, read afterwards, kept where they cannot be read."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import structlog
from django.db import transaction

from integrations import intake
from integrations.connector import BadSignature
from integrations.connectors import CONNECTORS
from integrations.models import Direction, Exchange, Integration, IntegrationState
from moderation.operations.accounts import api_keys
from moderation.operations.infrastructure import vault

log = structlog.get_logger(__name__)

MOST_BYTES = 2_000_000
FORGOTTEN = timedelta(seconds=30)
_HEADERS = ("x-hub-signature", "x-discourse-event", "x-discourse-event-type", "x-discourse-event-signature")
"""What connectors read; others, such as cookies, are not kept."""


class Refused(Exception):
    """Nothing is taken in: `status` is the answer to the platform."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def store(*, hook: str, headers: Mapping[str, str], body: bytes, at: datetime) -> Exchange:
    """Check the signature and keep a delivery; the caller enqueues its reading. Raises Refused.

    The same delivery again is read again, which changes nothing.
    """
    rows = Integration.objects.exclude(state=IntegrationState.REMOVED).select_related("platform")
    integration = rows.filter(hook=hook).first()
    if integration is None or CONNECTORS[integration.kind].hook != "hook":
        raise Refused(404, "There is no such hook.")
    if not integration.webhook_secret:
        raise Refused(401, "Its secret is not known here yet: paste it on the page of the integration.")
    try:
        api_keys.refuse_off(integration.platform)
    except api_keys.PlatformOff as refusal:
        raise Refused(403, str(refusal)) from refusal
    kept = {name: headers[name][:500] for name in _HEADERS if name in headers}
    try:
        secret = vault.decrypt(integration.webhook_secret)
        CONNECTORS[integration.kind].received(kept, body, secret=secret)
    except vault.MissingKey as missing:
        raise Refused(503, str(missing)) from missing
    except BadSignature:
        raise Refused(401, "The signature does not fit.") from None
    except ValueError as unread:
        raise Refused(400, str(unread)[:200]) from unread
    return Exchange.objects.create(
        integration=integration,
        at=at,
        direction=Direction.IN,
        what="delivery",
        headers=kept,
        body=body.decode("utf-8", "replace").replace("\0", ""),
    )


def read(*, exchange_id: int, at: datetime) -> int:
    """Take a stored delivery in, once; return how many posts it told of. A failed one can be read again."""
    with transaction.atomic():
        row = (
            Exchange.objects.select_for_update(of=("self",), skip_locked=True)
            .select_related("integration__platform")
            .filter(pk=exchange_id, direction=Direction.IN)
            .exclude(body="")
            .first()
        )
        if row is None:
            return 0
        integration = row.integration
        count, error = 0, ""
        try:
            incoming = CONNECTORS[integration.kind].received(
                row.headers, row.body.encode(), secret=vault.decrypt(integration.webhook_secret)
            )
            with transaction.atomic():
                count = intake.take(integration, incoming, at=at)
        except (BadSignature, ValueError, TypeError, KeyError, AttributeError, vault.MissingKey) as failure:
            log.exception("integration_delivery_unread", exchange=exchange_id)
            error = f"It could not be read: {type(failure).__name__} {failure}"
        row.error, row.status = error[:500], None if error else 200
        if not error:
            row.what, row.body, row.headers = f"delivery: {count} told of", "", {}
        row.save()
    return count


def forgotten(*, at: datetime) -> list[int]:
    """Return deliveries that are stored and were never read."""
    waiting = Exchange.objects.filter(
        direction=Direction.IN, status=None, error="", at__lt=at - FORGOTTEN
    ).exclude(body="")
    return list(waiting.values_list("pk", flat=True)[:100])
