"""What the tests of turns and of circuits count."""

from __future__ import annotations

from collections.abc import Callable

from moderation.models import Delivery
from moderation.operations.webhooks import circuit

LEASE_SECONDS = circuit.LEASE.total_seconds()


Make = Callable[..., list[Delivery]]


def counted(state: str) -> int:
    return Delivery.objects.filter(state=state).count()
