"""Put decisions into the outbox, in the transaction that makes them: one delivery per endpoint, in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Max

from moderation import enqueue
from moderation.models import Decision, Delivery, WebhookEndpoint
from moderation.models.deliveries import DeliveryState
from moderation.models.webhooks import EndpointState


def write(
    *, decisions: Sequence[Decision], event: str, reverses: Mapping[int, int], is_swept: bool
) -> list[Delivery]:
    """Save a delivery of each decision to each endpoint that wants the event; without one it is polled.

    `reverses` says which decision is replaced, by the id of the post. Call inside the transaction that saved
    the decisions, which are loaded with `post.platform`, `revision` and `score`.
    """
    if not decisions:
        return []
    wanting = _wanting({decision.post.platform_id for decision in decisions}, event=event)
    sequences = _sequences([decision.post_id for decision in decisions])
    rows: list[Delivery] = []
    for decision in decisions:
        sequences[decision.post_id] += 1
        body = _body(
            decision,
            event=event,
            sequence=sequences[decision.post_id],
            reverses=reverses.get(decision.post_id),
        )
        rows += [
            _delivery(decision, endpoint, event=event, sequence=sequences[decision.post_id], body=body)
            for endpoint in wanting.get(decision.post.platform_id) or (None,)
        ]
    saved = Delivery.objects.bulk_create(rows)
    for delivery in saved:
        if delivery.state == DeliveryState.WAITING and not is_swept:
            countdown = (delivery.next_attempt_at - delivery.created_at).total_seconds()
            enqueue.delivery(delivery_id=str(delivery.pk), countdown_seconds=countdown)
    return saved


def _wanting(platform_ids: set[int], *, event: str) -> dict[int, list[WebhookEndpoint]]:
    found: dict[int, list[WebhookEndpoint]] = defaultdict(list)
    endpoints = WebhookEndpoint.objects.filter(platform__in=platform_ids, state=EndpointState.ACTIVE)
    for endpoint in endpoints:
        if not endpoint.events or event in endpoint.events:
            found[endpoint.platform_id].append(endpoint)
    return found


def _sequences(post_ids: Sequence[int]) -> defaultdict[int, int]:
    told = Delivery.objects.filter(post__in=post_ids).order_by().values_list("post")
    return defaultdict(int, told.annotate(last=Max("sequence")).values_list("post", "last"))


def _delivery(
    decision: Decision,
    endpoint: WebhookEndpoint | None,
    *,
    event: str,
    sequence: int,
    body: dict[str, Any],
) -> Delivery:
    return Delivery(
        platform=decision.post.platform,
        endpoint=endpoint,
        post=decision.post,
        decision=decision,
        event=event,
        sequence=sequence,
        body=body,
        state=DeliveryState.WAITING if endpoint else DeliveryState.POLLED,
        created_at=decision.decided_at,
        next_attempt_at=decision.effective_at,
    )


def _body(decision: Decision, *, event: str, sequence: int, reverses: int | None) -> dict[str, Any]:
    """Return the webhook's body as the Standard Webhooks specification wants it: type, timestamp, data."""
    return {
        "type": event,
        "timestamp": decision.decided_at.isoformat().replace("+00:00", "Z"),
        "data": {
            "id": str(decision.pk),
            "sequence": sequence,
            "post": {
                "id": str(decision.post_id),
                "external_id": decision.post.external_id,
                "revision": decision.revision.number,
            },
            "verdict": decision.verdict,
            "source": decision.source,
            "reason": decision.reason,
            "reverses": str(reverses) if reverses else None,
            "spam_probability": round(decision.score.spam_probability, 6),
            "is_degraded": decision.score.is_degraded,
            "release": decision.score.release_id,
        },
    }
