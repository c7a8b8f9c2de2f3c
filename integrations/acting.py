"""Carry decisions out on connected platforms: the caller of their endpoints, in place of a signed webhook.

The outbox keeps the order of decisions about one post, retries with growing pauses and keeps what failed, as
it does for webhooks. What a message says is undone comes first; an action that is in force is not repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from integrations.connector import Connector, Order, Unreachable, Unusable
from integrations.models import Exchange, Integration, IntegrationState, Item
from integrations.polling import connector_of
from moderation.models import Delivery, WebhookEndpoint
from moderation.models.actions import Action
from moderation.models.webhooks import WebhookEvent
from moderation.operations.infrastructure import egress, vault
from moderation.operations.webhooks.attempts import Attempt
from moderation.operations.webhooks.caller import Caller

NOTHING = str(Action.NOTHING)


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
        data: dict[str, Any] = delivery.body["data"]
        reversed_actions = list(data.get("undo", []))
        if item.acted.get(NOTHING, {}).get("verdict", data["verdict"]) != data["verdict"]:
            reversed_actions.append(NOTHING)
        for action in reversed_actions:
            if action in item.acted:
                done = item.acted[action]
                connector.undo(_order(data, item, action, verdict=done["verdict"], acted=done))
                self._keep(item, {name: kept for name, kept in item.acted.items() if name != action})
        if delivery.event == WebhookEvent.ACTION_ENDED:
            return
        [chosen] = data.get("actions", [])[:1] or [{"action": NOTHING}]
        action = chosen["action"]
        if action not in (*connector.actions, NOTHING):
            raise Unusable(f"{connector.title} cannot do this: {action}. Choose another action.")
        done = item.acted.get(action)
        if done is not None and done["is_done"]:
            return
        intended = {"decision": data["id"], "verdict": data["verdict"], "is_done": False}
        # The intention first: after a kill the next attempt finds it, looks, and does what is missing.
        self._keep(item, item.acted | {action: intended})
        until = chosen.get("until")
        acted = connector.act(
            _order(data, item, action, until=parse_datetime(until) if until else None, acted=intended)
        )
        self._keep(item, item.acted | {action: {**intended, **acted, "is_done": True}})

    def _keep(self, item: Item, acted: dict[str, Any]) -> None:
        """Write down what is in force there; a dry run changes nothing."""
        if not self._integration.is_dry_run:
            item.acted = acted
            item.save(update_fields=["acted"])


def _order(
    data: Mapping[str, Any],
    item: Item,
    action: str,
    *,
    acted: Mapping[str, Any],
    verdict: str = "",
    until: datetime | None = None,
) -> Order:
    return Order(
        decision_id=acted.get("decision", data["id"]),
        external_id=data["post"]["external_id"],
        verdict=verdict or data["verdict"],
        reason=data["reason"],
        action=action,
        until=until,
        note=f"Spamdesk decision {data['id']}: {data['verdict'].replace('_', ' ')}",
        remote=item.remote,
        acted=acted,
    )
