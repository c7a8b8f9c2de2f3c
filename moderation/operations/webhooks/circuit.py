"""A circuit breaker per webhook endpoint, and the lease of the worker that sends to it.

After several failures in a row (no answer, 5xx, 408, 429) an endpoint is not called for a while; then one
call probes whether it is back. Waiting deliveries lose no attempt meanwhile.
"""

import random
from datetime import datetime, timedelta

from django.db.models import Case, F, Q, Value, When

from moderation.models import EndpointCircuit
from moderation.models.webhooks import CircuitState
from moderation.queries.health import clocks

OPENS_AFTER = 5
"""Failures in a row."""

PAUSE_SECONDS = (5, 10, 20, 40, 80, 160, 300)
"""How long it stays open, each time longer; up to a quarter of each is added as jitter."""

DEAD_AFTER = 5
"""Openings in a row, some minutes without an answer, after which people are told."""

SLOW_SECONDS = 2.0
LEASE = timedelta(seconds=60)
"""Longer than a turn with its last call may take."""

_LONGEST_PAUSE = timedelta(days=1)
"""The longest Retry-After that is honoured; see operations/infrastructure/egress.py."""


def take(*, endpoint_id: int, at: datetime) -> EndpointCircuit | None:
    """Take the lease of an endpoint if it may be called now and no other worker sends to it.

    An open circuit whose pause is over is half open from here on.
    """
    lease_until = at + LEASE
    probing = Case(When(state=CircuitState.OPEN, then=Value(CircuitState.HALF_OPEN)), default=F("state"))
    rows = EndpointCircuit.objects.filter(pk=endpoint_id)
    # One conditional UPDATE decides between concurrent workers: only one of them changes the row.
    count = rows.filter(is_free(at=at)).update(lease_until=lease_until, state=probing)
    if not count and not rows.exists():
        row = EndpointCircuit(endpoint_id=endpoint_id, lease_until=lease_until)
        # A concurrent worker may insert the row first; then its lease stands and the count below is 0.
        EndpointCircuit.objects.bulk_create([row], ignore_conflicts=True)
        count = rows.filter(lease_until=lease_until).count()
    return rows.get() if count else None


def is_free(*, at: datetime) -> Q:
    """Match the circuits of endpoints that may be called now and have no lease."""
    is_idle = Q(lease_until__isnull=True) | clocks.has_passed("lease_until", at=at, longest=LEASE)
    is_due = Q(retry_at__isnull=True) | clocks.has_passed("retry_at", at=at, longest=_LONGEST_PAUSE)
    return is_idle & is_due


def give_back(circuit: EndpointCircuit) -> None:
    """Release the lease and save the state, unless another worker has the lease by now."""
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
    """Record a successful answer: closes the circuit."""
    circuit.state, circuit.failures, circuit.openings = CircuitState.CLOSED, 0, 0
    circuit.since = circuit.retry_at = None
    circuit.is_slow, circuit.last_error = seconds > SLOW_SECONDS, ""


def failed(circuit: EndpointCircuit, *, error: str, wait_seconds: float, at: datetime) -> None:
    """Record a failure; `wait_seconds` is the endpoint's Retry-After, 0 without one."""
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
    """Return whether a call is likely to fail or to be slow."""
    if circuit is None:
        return False
    return bool(circuit.failures) or circuit.is_slow or circuit.state != CircuitState.CLOSED


def try_now(*, endpoint_id: int, at: datetime) -> None:
    """End the pause of an open circuit, since a user asked for a call."""
    EndpointCircuit.objects.filter(pk=endpoint_id, state=CircuitState.OPEN).update(retry_at=at)


def forget(*, endpoint_id: int) -> None:
    """Reset the circuit after a change of the endpoint. A worker that still sends to it loses the lease."""
    EndpointCircuit.objects.filter(pk=endpoint_id).delete()
