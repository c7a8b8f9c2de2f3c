"""Carry decisions out on connected platforms: the caller of their endpoints, in place of a signed webhook.

The outbox keeps the order of decisions about one post, retries with growing pauses and keeps what failed, as
it does for webhooks. What a message says is undone comes first; an action that is in force is not repeated.
What several decisions ask of one account lasts until the last of them is undone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from integrations.calls import Unreachable, Unusable
from integrations.connector import Connector, Order
from integrations.connectors import CONNECTORS
from integrations.models import Exchange, Integration, IntegrationState, Item
from integrations.polling import connector_of
from moderation.models import Delivery, Platform, WebhookEndpoint
from moderation.models.actions import Action
from moderation.models.decisions import Verdict
from moderation.models.webhooks import WebhookEvent
from moderation.operations.infrastructure import egress, vault
from moderation.operations.webhooks.attempts import Attempt
from moderation.operations.webhooks.caller import Caller

NOTHING = str(Action.NOTHING)
_OF_ACCOUNTS = (Action.LIMIT, Action.SENSITIVE, Action.SUSPEND)
_MEANT_OF_ACCOUNT = {Action.HIDE: Action.LIMIT, Action.REMOVE: Action.SUSPEND}
"""What is done where an account itself is the subject."""


class Actor(Caller):
    """Carries the deliveries of one endpoint out, one after another: each looks at the platform first."""

    def __init__(self, endpoint: WebhookEndpoint) -> None:
        super().__init__(endpoint, connections=1)
        self._integration = Integration.objects.select_related("platform").get(endpoint=endpoint)

    @classmethod
    def final(cls, platform: Platform) -> frozenset[str]:
        """Return the actions that nothing takes back on a server of the platform."""
        rows = platform.integrations.exclude(state=IntegrationState.REMOVED).values_list("kind", flat=True)
        return frozenset(action for kind in rows for action in CONNECTORS[kind].final)

    def each(
        self, batch: Sequence[Delivery], make: Callable[[Delivery], Attempt | None]
    ) -> Iterable[Attempt | None]:
        """Make the attempts in turn, in this thread, which may use the database."""
        return [make(delivery) for delivery in batch]

    def post(self, delivery: Delivery, *, at: datetime) -> egress.Answered:
        """Carry one delivery out. Raises egress.Refused where a retry would not help, and egress.Failed."""
        items = Item.objects.select_related("post")
        item = items.filter(integration=self._integration, post=delivery.post_id).first()
        if self._integration.state != IntegrationState.ACTIVE:
            raise egress.Failed(_("The integration is paused; decisions wait."))
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
        [chosen] = data.get("actions", [])[:1] or [{"action": NOTHING}]
        is_over = delivery.event == WebhookEvent.ACTION_ENDED
        left = self._undo(data, item, connector, reopens=data["verdict"] == Verdict.SPAM and not is_over)
        if not is_over:
            self._act(data, item, connector, **chosen)
        if left:
            raise Unusable(left)

    def _undo(self, data: Mapping[str, Any], item: Item, connector: Connector, *, reopens: bool) -> str:
        """Take back what the message says; return what a platform cannot, which is told once."""
        undone, left = list(data.get("undo", [])), ""
        if item.acted.get(NOTHING, {}).get("verdict", data["verdict"]) != data["verdict"]:
            undone.append(NOTHING)
        for action in undone:
            if not (done := item.acted.get(action)):
                continue
            order = replace(_order(data, item, action, acted=done), verdict=done["verdict"])
            is_shared = self._is_shared(item, action)
            try:
                connector.undo(replace(order, is_shared=is_shared, reopens=reopens))
            except Unusable as refusal:
                if action not in connector.final:
                    raise
                left = str(refusal)
            self._keep(item, {name: kept for name, kept in item.acted.items() if name != action})
        return left

    def _act(
        self,
        data: Mapping[str, Any],
        item: Item,
        connector: Connector,
        *,
        action: str,
        until: str | None = None,
    ) -> None:
        if action not in (*connector.actions, NOTHING):
            words = _("%(platform)s cannot do this: %(action)s. Choose another action.")
            raise Unusable(words % {"platform": connector.title, "action": Action(action).label})
        done = item.acted.get(action)
        if done is not None and done["is_done"]:
            return
        intended = {"decision": data["id"], "verdict": data["verdict"], "is_done": False}
        # The intention first: after a kill the next attempt finds it, looks, and does what is missing.
        self._keep(item, item.acted | {action: intended})
        ends_at = parse_datetime(until) if until else None
        order = replace(_order(data, item, action, acted=intended), until=ends_at)
        acted = connector.act(replace(order, is_shared=self._is_shared(item, action)))
        self._keep(item, item.acted | {action: {**intended, **acted, "is_done": True}})

    def _is_shared(self, item: Item, action: str) -> bool:
        """Tell whether a decision about another post has done the same to the account."""
        meant = _of_account(action, item)
        others = Item.objects.filter(integration=item.integration_id, post__author=item.post.author_id)
        rows = others.exclude(pk=item.pk).exclude(acted={}).select_related("post") if meant else ()
        return any(
            done["is_done"] and _of_account(name, other) == meant
            for other in rows
            for name, done in other.acted.items()
        )

    def _keep(self, item: Item, acted: dict[str, Any]) -> None:
        """Write down what is in force there; a dry run changes nothing."""
        if not self._integration.is_dry_run:
            item.acted = acted
            item.save(update_fields=["acted"])


def _of_account(action: str, item: Item) -> str:
    """Return what an action does to the account, "" if it is about the post alone."""
    meant = _MEANT_OF_ACCOUNT.get(Action(action), action) if item.post.is_account else action
    return meant if meant in _OF_ACCOUNTS else ""


def _order(data: Mapping[str, Any], item: Item, action: str, *, acted: Mapping[str, Any]) -> Order:
    return Order(
        decision_id=acted.get("decision", data["id"]),
        external_id=data["post"]["external_id"],
        verdict=data["verdict"],
        reason=data["reason"],
        action=action,
        until=None,
        note=f"Spamdesk decision {data['id']}: {data['verdict'].replace('_', ' ')}",
        remote=item.remote,
        acted=acted,
    )
