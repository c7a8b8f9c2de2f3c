"""Ask connected platforms what is reported, one turn each; failures make the pauses longer."""

import json
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import connection, transaction
from django.db.models import QuerySet

from integrations import intake
from integrations.calls import Calls, Unreachable, Unusable
from integrations.connector import Connector
from integrations.connectors import CONNECTORS
from integrations.models import Direction, Exchange, Integration, IntegrationState
from moderation.operations.infrastructure import vault

log = structlog.get_logger(__name__)

_LEASE = timedelta(seconds=90)
_MOST_PAGES = 20
_LONGEST_PAUSE = timedelta(hours=1)
_KEPT = timedelta(days=30)
_KEPT_BODY = timedelta(days=3)


def connector_of(integration: Integration, *, calls: list[Exchange], at: datetime) -> Connector:
    """Return the connector, signed in; its changing calls are put into `calls`. Raises vault.MissingKey."""

    def log(**told: Any) -> None:
        calls.append(Exchange(integration=integration, at=at, direction=Direction.OUT, **told))

    http = Calls(integration.base_url, is_dry_run=integration.is_dry_run, log=log)
    return CONNECTORS[integration.kind](http, json.loads(vault.decrypt(integration.credentials)))


def due(*, at: datetime) -> list[int]:
    """Return the integrations whose next question is due, and forget old lines of the logs."""
    Exchange.objects.filter(at__lt=at - _KEPT).delete()
    Exchange.objects.filter(at__lt=at - _KEPT_BODY).exclude(body="").update(body="")
    return list(_due(at=at).values_list("pk", flat=True))


def poll(*, integration_id: int, at: datetime) -> int:
    """Ask one platform what is new, page after page, and store it; return how many posts it told of.

    Safe to run twice at once: the second finds the turn taken. Call outside a transaction.
    """
    if not _due(at=at).filter(pk=integration_id).update(next_poll_at=at + _LEASE):
        return 0
    integration = Integration.objects.select_related("platform").get(pk=integration_id)
    count, error = 0, ""
    try:
        connector = connector_of(integration, calls=[], at=at)
        for _ in range(_MOST_PAGES):
            if not connection.in_atomic_block:
                connection.close()  # release the database connection while waiting for the network
            page = connector.poll(integration.cursor)
            count += intake.take(integration, page.incoming, at=at)
            integration.cursor = dict(page.cursor)  # after its posts are stored: a kill asks again
            integration.save(update_fields=["cursor"])
            if page.is_last:
                break
    except (Unusable, Unreachable, vault.MissingKey) as failure:
        error = str(failure)
    except (ValueError, TypeError, KeyError, AttributeError) as failure:
        # A platform that speaks otherwise than published: told to the people who connected it.
        log.exception("integration_answer_unread", integration=integration_id)
        error = f"Its answer could not be read ({type(failure).__name__}); see the log."
    _settle(integration, count=count, error=error, at=at)
    return count


def _due(*, at: datetime) -> QuerySet[Integration]:
    rows = Integration.objects.filter(state=IntegrationState.ACTIVE, next_poll_at__lte=at)
    return rows.filter(platform__off_at=None)


def _settle(integration: Integration, *, count: int, error: str, at: datetime) -> None:
    pause = timedelta(seconds=CONNECTORS[integration.kind].polls_every_seconds)
    failures = integration.failures + 1 if error else 0
    if error:
        pause = min(pause * 2 ** min(failures, 10), _LONGEST_PAUSE)
    with transaction.atomic():
        Integration.objects.filter(pk=integration.pk).update(
            failures=failures, last_error=error[:500], polled_at=at, next_poll_at=at + pause
        )
        if count or (error and error != integration.last_error):
            Exchange.objects.create(
                integration=integration,
                at=at,
                direction=Direction.IN,
                what=f"asked: {count} reported",
                error=error[:500],
            )
