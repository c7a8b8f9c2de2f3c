"""Claim deliveries before a call and record its result, in few statements."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from moderation.models import Delivery, DeliveryAttempt
from moderation.models.deliveries import DeliveryState
from moderation.operations.webhooks import circuit
from moderation.queries.health import clocks

RETRY_SECONDS = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Pauses between attempts, as the specification recommends; up to a quarter of each is added as jitter."""

GONE = 410
_TRY_LATER = frozenset({408, 429})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One call for one delivery, and its result. Refused: its address must not be called."""

    delivery: Delivery
    at: datetime
    seconds: float
    status: int | None = None
    error: str = ""
    is_refused: bool = False
    wait_seconds: float = 0.0

    @property
    def is_delivered(self) -> bool:
        """Return whether the endpoint accepted it."""
        return not self.error

    @property
    def is_final(self) -> bool:
        """Return whether a retry would not help."""
        return self.is_refused or self.status == GONE

    @property
    def is_outage(self) -> bool:
        """Return whether the endpoint failed, rather than this one message: others would fail, too."""
        if self.is_refused or self.is_delivered:
            return False
        return self.status is None or self.status >= 500 or self.status in _TRY_LATER


def due(*, at: datetime) -> QuerySet[Delivery]:
    """Return the deliveries that may be attempted now: due, unclaimed, the first of their post."""
    earlier = Delivery.objects.filter(
        post=OuterRef("post"),
        endpoint=OuterRef("endpoint"),
        sequence__lt=OuterRef("sequence"),
        state=DeliveryState.WAITING,
    )
    is_free = Q(lease_until__isnull=True) | clocks.has_passed("lease_until", at=at, longest=circuit.LEASE)
    return Delivery.objects.filter(
        is_free, ~Exists(earlier), state=DeliveryState.WAITING, next_attempt_at__lte=at
    ).order_by("next_attempt_at", "id")


def claim(*, endpoint_id: int, limit: int, at: datetime) -> list[Delivery]:
    """Claim the deliveries that have been due longest. Committed before any of them is sent.

    A transaction that locks such a row afterwards sees by `lease_until` that the platform may have received
    it.
    """
    with transaction.atomic():
        free = due(at=at).filter(endpoint=endpoint_id)
        rows = list(free.select_for_update(of=("self",), no_key=True, skip_locked=True)[:limit])
        # Only the first delivery of a post is due, so skipping a locked row cannot reorder messages.
        Delivery.objects.filter(pk__in=[row.pk for row in rows]).update(lease_until=at + circuit.LEASE)
    return rows


def record(attempts: Sequence[Attempt], *, unsent: Sequence[Delivery]) -> None:
    """Log the attempts and update the deliveries. Unsent ones are released.

    Only a delivery that still waits is written: one cancelled meanwhile keeps its state.
    """
    with transaction.atomic():
        DeliveryAttempt.objects.bulk_create([_logged(attempt) for attempt in attempts])
        _deliver([attempt for attempt in attempts if attempt.is_delivered])
        for attempt in attempts:
            if not attempt.is_delivered:
                _put_off(attempt)
        deliveries = [*(attempt.delivery for attempt in attempts), *unsent]
        rows = Delivery.objects.filter(pk__in=[row.pk for row in deliveries], lease_until__isnull=False)
        rows.update(lease_until=None)


def _logged(attempt: Attempt) -> DeliveryAttempt:
    return DeliveryAttempt(
        delivery=attempt.delivery,
        at=attempt.at,
        status=attempt.status,
        error=attempt.error[:500],
        duration_ms=round(1000 * attempt.seconds),
    )


def _deliver(attempts: Sequence[Attempt]) -> None:
    if attempts:
        deliveries = Delivery.objects.filter(
            pk__in=[attempt.delivery.pk for attempt in attempts], state=DeliveryState.WAITING
        )
        deliveries.update(
            state=DeliveryState.DELIVERED,
            attempts=F("attempts") + 1,
            delivered_at=attempts[0].at,
            last_error="",
            lease_until=None,
        )


def _put_off(attempt: Attempt) -> None:
    deliveries = Delivery.objects.filter(pk=attempt.delivery.pk, state=DeliveryState.WAITING)
    number, error = attempt.delivery.attempts + 1, attempt.error[:500]
    if attempt.is_final or number > len(RETRY_SECONDS):
        deliveries.update(state=DeliveryState.FAILED, attempts=number, last_error=error, lease_until=None)
        return
    pause = RETRY_SECONDS[number - 1] * random.uniform(1, 1.25)  # noqa: S311 - jitter
    next_attempt_at = attempt.at + timedelta(seconds=max(pause, attempt.wait_seconds))
    deliveries.update(attempts=number, last_error=error, next_attempt_at=next_attempt_at, lease_until=None)
