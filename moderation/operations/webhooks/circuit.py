"""A circuit breaker per webhook endpoint, and the lease of whoever sends to it.

An endpoint that does not answer, or answers that it cannot (5xx, 408, 429), several times in a row is left
alone for a while; then one call shows whether it is back. What waits for it meanwhile loses no attempt.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from django.db.models import Case, F, Q, Value, When

from moderation.models import EndpointCircuit
from moderation.models.webhooks import CircuitState
from moderation.queries.health import clocks

OPENS_AFTER = 5
"""Failures in a row."""

PAUSE_SECONDS = (5, 10, 20, 40, 80, 160, 300)
"""How long it stays open, each time longer; a quarter of each is added at random."""

SLOW_SECONDS = 2.0
LEASE = timedelta(seconds=60)
"""Longer than a turn with its last call may take."""

_LONGEST_PAUSE = timedelta(days=1)
"""No Retry-After asks for more; see operations/infrastructure/egress.py."""


def take(*, endpoint_id: int, at: datetime) -> EndpointCircuit | None:
    """Take the lease of an endpoint if it may be called now and nobody else sends to it.

    An open circuit whose pause is over is half open from here on.
    """
    lease_until = at + LEASE
    probing = Case(When(state=CircuitState.OPEN, then=Value(CircuitState.HALF_OPEN)), default=F("state"))
    rows = EndpointCircuit.objects.filter(pk=endpoint_id)
    taken = rows.filter(is_free(at=at)).update(lease_until=lease_until, state=probing)
    if not taken and not rows.exists():
        made = EndpointCircuit(endpoint_id=endpoint_id, lease_until=lease_until)
        EndpointCircuit.objects.bulk_create([made], ignore_conflicts=True)
        taken = rows.filter(lease_until=lease_until).count()
    return rows.get() if taken else None


def is_free(*, at: datetime) -> Q:
    """Match the circuits of endpoints that may be called now and that nobody sends to."""
    is_idle = Q(lease_until__isnull=True) | clocks.has_passed("lease_until", at=at, longest=LEASE)
    is_due = Q(retry_at__isnull=True) | clocks.has_passed("retry_at", at=at, longest=_LONGEST_PAUSE)
    return is_idle & is_due


def give_back(circuit: EndpointCircuit) -> None:
    """Return the lease and write what was learnt, unless the lease is somebody else's by now."""
    EndpointCircuit.objects.filter(pk=circuit.pk, lease_until=circuit.lease_until).update(
        state=circuit.state,
        failures=circuit.failures,
        openings=circuit.openings,
        since=circuit.since,
        retry_at=circuit.retry_at,
        is_slow=circuit.is_slow,
        last_error=circuit.last_error,
        lease_until=None,
    )


def answered(circuit: EndpointCircuit, *, seconds: float) -> None:
    """Note an answer that shows the endpoint at work: whatever was wrong is over."""
    circuit.state, circuit.failures, circuit.openings = CircuitState.CLOSED, 0, 0
    circuit.since = circuit.retry_at = None
    circuit.is_slow, circuit.last_error = seconds > SLOW_SECONDS, ""


def failed(circuit: EndpointCircuit, *, error: str, wait_seconds: float, at: datetime) -> None:
    """Note a failure; `wait_seconds` is what the endpoint itself asked for (Retry-After), 0 if nothing."""
    circuit.failures += 1
    circuit.last_error = error[:500]
    if not wait_seconds and circuit.failures < OPENS_AFTER and circuit.state == CircuitState.CLOSED:
        return
    pause = PAUSE_SECONDS[min(circuit.openings, len(PAUSE_SECONDS) - 1)]
    seconds = wait_seconds or pause * random.uniform(1, 1.25)  # noqa: S311 - jitter
    circuit.state, circuit.since = CircuitState.OPEN, circuit.since or at
    circuit.openings += 1
    circuit.retry_at = at + timedelta(seconds=seconds)


def is_suspect(circuit: EndpointCircuit | None) -> bool:
    """Tell whether a call is likely to fail or to take long."""
    if circuit is None:
        return False
    return bool(circuit.failures) or circuit.is_slow or circuit.state != CircuitState.CLOSED


def try_now(*, endpoint_id: int, at: datetime) -> None:
    """End the pause of an open circuit: somebody asks for a call."""
    EndpointCircuit.objects.filter(pk=endpoint_id, state=CircuitState.OPEN).update(retry_at=at)


def forget(*, endpoint_id: int) -> None:
    """Forget what was learnt: the endpoint was changed. Whoever still sends to it has lost the lease."""
    EndpointCircuit.objects.filter(pk=endpoint_id).delete()
