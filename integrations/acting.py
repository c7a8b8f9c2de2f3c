"""Carry decisions out on connected platforms: the caller of their endpoints, in place of a signed webhook.

The outbox keeps the order of decisions about one post, retries with growing pauses and keeps what failed, as
it does for webhooks. Each decision replaces what was done for the one before it: that is undone first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from integrations.connector import Connector, Order, Unreachable, Unusable
from integrations.models import Exchange, Integration, IntegrationState, Item
from integrations.polling import connector_of
from moderation.models import Delivery, WebhookEndpoint
from moderation.operations.infrastructure import egress, vault
from moderation.operations.webhooks.attempts import Attempt
from moderation.operations.webhooks.caller import Caller

NOTHING = "nothing"


class Actor(Caller):
    """Carries the deliveries of one endpoint out, one after another: each looks at the platform first."""

    def __init__(self, endpoint: WebhookEndpoint) -> None:
        super().__init__(endpoint, connections=1)
        self._integration = Integration.objects.select_related("platform").get(endpoint=endpoint)

    def each(
        self, batch: Sequence[Delivery], make: Callable[[Delivery], Attempt | None]
    ) -> Iterable[Attempt | None]:
        """Make the attempts in turn, in this thread, which may use the database."""
        return [make(delivery) for delivery in batch]

    def post(self, delivery: Delivery, *, at: datetime) -> egress.Answered:
        """Carry one delivery out. Raises egress.Refused where a retry would not help, and egress.Failed."""
        item = Item.objects.filter(integration=self._integration, post=delivery.post_id).first()
        if self._integration.state != IntegrationState.ACTIVE:
            raise egress.Failed("The integration is paused; decisions wait.")
        if item is None:
            return egress.Answered(status=200)  # not from this server: nothing is there to act on
        calls: list[Exchange] = []
        try:
            self._carry_out(delivery, item, connector_of(self._integration, calls=calls, at=at))
        except Unusable as refusal:
            raise egress.Refused(str(refusal)) from refusal
        except (Unreachable, vault.MissingKey) as failure:
            raise egress.Failed(str(failure)) from failure
        finally:
            for call in calls:
                call.delivery = delivery
            Exchange.objects.bulk_create(calls)
        return egress.Answered(status=200)

    def _carry_out(self, delivery: Delivery, item: Item, connector: Connector) -> None:
        order = _order(delivery, item, connector)
        if delivery.event == "action.ended":
            self._undo(item, order, connector)
            return
        if item.acted_for and item.acted_for != order.decision_id:
            self._undo(item, order, connector)
        if not self._integration.is_dry_run:
            # The intention first: after a kill the next attempt finds it, looks, and does what is missing.
            item.acted_for, item.acted = order.decision_id, {"action": order.action} | item.acted
            item.save(update_fields=["acted_for", "acted"])
        acted = connector.act(order)
        if not self._integration.is_dry_run:
            item.acted = {**acted, "action": order.action}
            item.save(update_fields=["acted"])

    def _undo(self, item: Item, order: Order, connector: Connector) -> None:
        if not item.acted_for:
            return
        action = item.acted.get("action", NOTHING)
        connector.undo(
            Order(
                decision_id=item.acted_for,
                external_id=order.external_id,
                verdict=item.acted.get("verdict", order.verdict),
                reason=order.reason,
                action=action,
                until=None,
                note=order.note,
                remote=item.remote,
                acted=item.acted,
            )
        )
        item.acted_for, item.acted = "", {}
        item.save(update_fields=["acted_for", "acted"])


def _order(delivery: Delivery, item: Item, connector: Connector) -> Order:
    """Return what a delivery asks for; the mildest of the platform's actions where it has not the chosen."""
    data: dict[str, Any] = delivery.body["data"]
    [chosen] = data.get("actions") or [{"action": NOTHING}]
    until = chosen.get("until")
    is_possible = chosen["action"] in (*connector.actions, NOTHING)
    if not is_possible:
        raise Unusable(f"{connector.title} cannot do this: {chosen['action']}. Choose another action.")
    return Order(
        decision_id=data["id"],
        external_id=data["post"]["external_id"],
        verdict=data["verdict"],
        reason=data["reason"],
        action=chosen["action"],
        until=parse_datetime(until) if until else None,
        note=f"Spamdesk decision {data['id']}: {data['verdict'].replace('_', ' ')}",
        remote=item.remote,
        acted=item.acted,
    )
