"""Send deliveries to the platform's endpoints, signed by the Standard Webhooks specification.

A delivery is retried over days and ends delivered or visibly failed; every attempt is logged. Without a
signing secret it is held: nothing leaves unsigned. Redirects are not followed. What is said of one post goes
to an endpoint in order: the next message waits until the one before it is settled.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from moderation import enqueue
from moderation.models import Delivery, DeliveryAttempt, User
from moderation.models.deliveries import DeliveryState
from moderation.models.webhooks import EndpointState
from moderation.operations import egress, sign, vault, verdict, webhooks

log = structlog.get_logger(__name__)

RETRY_SECONDS = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Pauses between attempts, as the specification recommends; a quarter of each is added at random."""

HOLD_SECONDS = 300
LEASE_SECONDS = 30
GONE = 410


class NoReplay(Exception):
    """The delivery cannot be sent again: it was never to be sent, or its endpoint is not active."""


class NoSecret(Exception):
    """The endpoint has no signing secret in force."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What came of an attempt. Held: it was not sent, and does not count."""

    error: str = ""
    status: int | None = None
    is_permanent: bool = False
    is_held: bool = False
    wait_seconds: float = 0.0


def send(*, delivery_id: str, at: datetime) -> None:
    """Attempt one delivery if it is due. Safe to run twice: the first to claim the attempt makes it."""
    delivery = _claim(delivery_id=delivery_id, at=at)
    if delivery is None:
        return
    began = time.perf_counter()
    outcome = _attempt(delivery, at=at)
    _record(delivery, outcome, at=at, duration_ms=round(1000 * (time.perf_counter() - began)))
    if outcome.status == GONE and delivery.endpoint_id is not None:
        webhooks.disable(endpoint_id=delivery.endpoint_id, reason="answered 410 Gone", at=at)


def sweep(*, at: datetime, limit: int = 500) -> int:
    """Enqueue deliveries that are due; return how many."""
    due = list(_due(at=at).order_by("next_attempt_at", "id").values_list("pk", flat=True)[:limit])
    with transaction.atomic():
        for delivery_id in due:
            enqueue.delivery(delivery_id=str(delivery_id))
    return len(due)


def replay(*, delivery_id: str, at: datetime, actor: User | None = None) -> Delivery:
    """Send a delivered or failed delivery again, with the same id and body. Raises NoReplay."""
    with transaction.atomic():
        delivery = (
            Delivery.objects.select_for_update(of=("self",)).select_related("endpoint").get(pk=delivery_id)
        )
        if delivery.endpoint is None or delivery.state in (DeliveryState.POLLED, DeliveryState.CANCELLED):
            raise NoReplay("This delivery was never to be sent.")
        if delivery.endpoint.state != EndpointState.ACTIVE:
            raise NoReplay("Its endpoint is not active.")
        delivery.state = DeliveryState.WAITING
        delivery.attempts = 0
        delivery.next_attempt_at = at
        delivery.save(update_fields=("state", "attempts", "next_attempt_at"))
        verdict.audit(
            action="delivery.replayed", subject_kind="delivery", subject_id=delivery.pk, actor=actor, at=at
        )
        enqueue.delivery(delivery_id=str(delivery.pk))
    return delivery


def _due(*, at: datetime) -> QuerySet[Delivery]:
    """Return what may be attempted now: due, and first in the line of its post and endpoint."""
    before = Delivery.objects.filter(
        post=OuterRef("post"),
        endpoint=OuterRef("endpoint"),
        sequence__lt=OuterRef("sequence"),
        state=DeliveryState.WAITING,
    )
    return Delivery.objects.filter(
        ~Exists(before), state=DeliveryState.WAITING, endpoint__isnull=False, next_attempt_at__lte=at
    )


def _claim(*, delivery_id: str, at: datetime) -> Delivery | None:
    """Push the next attempt into the future, so that a second worker finds nothing due while we send."""
    claimed = _due(at=at).filter(pk=delivery_id).update(next_attempt_at=at + timedelta(seconds=LEASE_SECONDS))
    if not claimed:
        return None
    return Delivery.objects.select_related("endpoint").get(pk=delivery_id)


def _attempt(delivery: Delivery, *, at: datetime) -> _Outcome:
    try:
        answer = _post(delivery, at=at)
    except (NoSecret, vault.MissingKey) as missing:
        return _Outcome(error=str(missing), is_held=True)
    except egress.Refused as refused:
        return _Outcome(error=str(refused), is_permanent=True)
    except egress.Failed as failed:
        return _Outcome(error=str(failed))
    if 200 <= answer.status < 300:
        return _Outcome(status=answer.status)
    return _Outcome(
        error=f"HTTP status {answer.status}",
        status=answer.status,
        is_permanent=answer.status == GONE,
        wait_seconds=answer.retry_after_seconds,
    )


def _post(delivery: Delivery, *, at: datetime) -> egress.Answered:
    endpoint = delivery.endpoint
    assert endpoint is not None  # noqa: S101 - `_due` leaves out those without
    in_force = Q(expires_at__isnull=True) | Q(expires_at__gt=at)
    keys = list(endpoint.secrets.filter(in_force).order_by("-id"))
    if not keys:
        raise NoSecret("The endpoint has no signing secret; the delivery waits.")
    body = json.dumps(delivery.body, separators=(",", ":"), ensure_ascii=False)
    return egress.post(
        url=endpoint.url,
        body=body.encode(),
        headers={
            "content-type": "application/json",
            "user-agent": "Spamdesk-Webhooks/1",
            "webhook-id": str(delivery.pk),
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": sign.signatures(keys=keys, message_id=str(delivery.pk), at=at, body=body),
        },
    )


def _record(delivery: Delivery, outcome: _Outcome, *, at: datetime, duration_ms: int) -> None:
    with transaction.atomic():
        DeliveryAttempt.objects.create(
            delivery=delivery,
            at=at,
            status=outcome.status,
            error=outcome.error[:500],
            duration_ms=duration_ms,
        )
        # Only a delivery that still waits is written: one cancelled or delivered meanwhile keeps its state.
        waiting = Delivery.objects.filter(pk=delivery.pk, state=DeliveryState.WAITING)
        if not outcome.error:
            waiting.update(
                state=DeliveryState.DELIVERED, attempts=F("attempts") + 1, delivered_at=at, last_error=""
            )
        elif outcome.is_held:
            waiting.update(
                next_attempt_at=at + timedelta(seconds=HOLD_SECONDS), last_error=outcome.error[:500]
            )
        else:
            _put_off(delivery, waiting, outcome, at=at)
        if not waiting.exists():
            _enqueue_next(delivery, at=at)
    if outcome.error:
        log.info("delivery_failed", delivery=str(delivery.pk), attempts=delivery.attempts + 1)


def _put_off(delivery: Delivery, waiting: QuerySet[Delivery], outcome: _Outcome, *, at: datetime) -> None:
    attempts = delivery.attempts + 1
    error = outcome.error[:500]
    if outcome.is_permanent or attempts > len(RETRY_SECONDS):
        waiting.update(state=DeliveryState.FAILED, attempts=attempts, last_error=error)
        return
    pause = RETRY_SECONDS[attempts - 1] * random.uniform(1, 1.25)  # noqa: S311 - jitter
    next_attempt_at = at + timedelta(seconds=max(pause, outcome.wait_seconds))
    waiting.update(attempts=attempts, last_error=error, next_attempt_at=next_attempt_at)


def _enqueue_next(delivery: Delivery, *, at: datetime) -> None:
    """The way is free for what comes next of this post; the sweep would find it a few seconds later."""
    behind = _due(at=at).filter(post=delivery.post_id, endpoint=delivery.endpoint_id).order_by("sequence")
    following = behind.values_list("pk", flat=True).first()
    if following is not None:
        enqueue.delivery(delivery_id=str(following))
