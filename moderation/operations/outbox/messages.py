"""Put decisions and other events into the outbox, in the transaction that makes them: one per endpoint."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max

from moderation import enqueue
from moderation.models import Decision, Delivery, WebhookEndpoint
from moderation.models.deliveries import DeliveryState
from moderation.models.webhooks import EndpointState, WebhookEvent
from moderation.operations.infrastructure import transactions
from moderation.queries import wire

_UNASKED = frozenset({WebhookEvent.DECISION_CREATED.value, WebhookEvent.DECISION_REVERSED.value})
"""Events for endpoints that name none."""

_LONGEST_REQUEST_ID = 520
_endpoints: ContextVar[Sequence[WebhookEndpoint] | None] = ContextVar("_endpoints", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """An event; platform None means all platforms. Due at once, or at `due_at`.

    With a decision, undoing the decision cancels the delivery.
    """

    event: str
    platform_id: int | None
    data: Mapping[str, Any]
    at: datetime
    due_at: datetime | None = None
    post_id: int | None = None
    decision_id: int | None = None


@transactions.required
def write(
    *,
    decisions: Sequence[Decision],
    event: str,
    reverses: Mapping[int, int],
    follow_ups: Mapping[int, Mapping[str, Any]],
) -> None:
    """Save a delivery of each decision to each endpoint that wants the event; feeds need none.

    `reverses` maps the id of a post to the decision that is replaced, `follow_ups` a decision to the JSON of
    its actions. Call inside the transaction that saved the decisions, which are loaded with `post.platform`,
    `revision` and `score`.
    """
    platform_ids = {endpoint.platform_id for endpoint in _active() if event in _wanted(endpoint)}
    tell(
        [
            Message(
                event=event,
                platform_id=decision.post.platform_id,
                data={
                    **wire.decision(decision, reverses=reverses.get(decision.post_id)),
                    **follow_ups[decision.pk],
                },
                at=decision.decided_at,
                due_at=decision.effective_at,
                post_id=decision.post_id,
                decision_id=decision.pk,
            )
            for decision in decisions
            if decision.post.platform_id in platform_ids
        ]
    )


@transactions.required
def tell(messages: Sequence[Message]) -> None:
    """Save a delivery of each message to each endpoint that wants its event.

    Call inside the transaction of the cause, with the posts concerned locked.
    """
    if not messages:
        return
    names = {message.event for message in messages}
    rows: list[Delivery] = []
    subscribers = [endpoint for endpoint in _active() if not names.isdisjoint(_wanted(endpoint))]
    sequences = _sequences(message.post_id for message in messages if subscribers and message.post_id)
    for message in messages:
        to = [endpoint for endpoint in subscribers if _is_for(endpoint, message)]
        if to and message.post_id:
            sequences[message.post_id] += 1
        rows += [_told(message, endpoint, sequence=sequences[message.post_id or 0] or 1) for endpoint in to]
    _save(rows)


@transactions.required
def withdraw(*, decisions: Sequence[Decision]) -> bool:
    """Cancel the unattempted deliveries of these decisions; return whether that was all of them.

    A started attempt may have arrived: later messages must wait behind it, or not be written at all.
    Call inside a transaction.
    """
    about = Delivery.objects.filter(decision__in=decisions)
    # A locked row is being claimed or recorded by a sender: skipping it avoids a deadlock.
    free = list(about.select_for_update(no_key=True, skip_locked=True).defer("body"))
    has_locked = about.exclude(pk__in=[row.pk for row in free]).exists()
    # A sender takes and commits the lease of a delivery before it sends anything.
    untried = [row.pk for row in free if row.attempts == 0 and row.lease_until is None]
    Delivery.objects.filter(pk__in=untried, state=DeliveryState.WAITING).update(state=DeliveryState.CANCELLED)
    return not has_locked and len(untried) == len(free)


def is_asked_for(event: str) -> bool:
    """Return whether any endpoint asked for an event by name."""
    return any(event in _wanted(endpoint) for endpoint in _active())


@contextmanager
def same_endpoints() -> Iterator[None]:
    """Let everything inside, which is one short transaction, send to the endpoints of its beginning."""
    token = _endpoints.set(_active())
    try:
        yield
    finally:
        _endpoints.reset(token)


def _active() -> Sequence[WebhookEndpoint]:
    known = _endpoints.get()
    if known is None:
        return list(WebhookEndpoint.objects.filter(state=EndpointState.ACTIVE).order_by("id"))
    return known


def _is_for(endpoint: WebhookEndpoint, message: Message) -> bool:
    return message.event in _wanted(endpoint) and message.platform_id in (None, endpoint.platform_id)


def _wanted(endpoint: WebhookEndpoint) -> Collection[str]:
    return endpoint.events or _UNASKED


def _save(rows: list[Delivery]) -> None:
    request_id = enqueue.request_id()[:_LONGEST_REQUEST_ID]
    for row in rows:
        row.request_id = request_id
    Delivery.objects.bulk_create(rows)
    for endpoint_id, due_at in {(row.endpoint_id, row.next_attempt_at) for row in rows}:
        enqueue.deliveries(endpoint_id=endpoint_id, due_at=due_at)


def _sequences(post_ids: Iterable[int]) -> defaultdict[int, int]:
    ids = list(post_ids)
    if not ids:
        return defaultdict(int)
    # No two transactions read the same last number: whoever writes about a post has locked it.
    deliveries = Delivery.objects.filter(post__in=ids).order_by().values_list("post")
    return defaultdict(int, deliveries.annotate(last=Max("sequence")).values_list("post", "last"))


def _told(message: Message, endpoint: WebhookEndpoint, *, sequence: int) -> Delivery:
    data = dict(message.data) | ({"sequence": sequence} if message.post_id else {})
    return Delivery(
        platform_id=endpoint.platform_id,
        endpoint=endpoint,
        post_id=message.post_id,
        decision_id=message.decision_id,
        event=message.event,
        sequence=sequence,
        body={"type": message.event, "timestamp": wire.instant(message.at), "data": data},
        state=DeliveryState.WAITING,
        created_at=message.at,
        next_attempt_at=message.due_at or message.at,
    )
