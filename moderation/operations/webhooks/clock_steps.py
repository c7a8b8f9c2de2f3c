"""Find deliveries that a clock set back has postponed, and make them due now."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from moderation.models import Delivery, FeedEntry
from moderation.models.deliveries import DeliveryState
from moderation.operations.webhooks.send import HOLD_SECONDS
from moderation.queries.health import clocks


def mend(*, at: datetime) -> int:
    """Make messages due now that wait longer than the time for undoing; return how many.

    Retries are left alone: their row does not say how long the endpoint asked to wait.
    """
    undo = timedelta(seconds=settings.UNDO_SECONDS)
    entries = FeedEntry.objects.filter(clocks.is_too_far("due_at", at=at, longest=undo), number__isnull=True)
    first_attempts = Delivery.objects.filter(
        clocks.is_too_far("next_attempt_at", at=at, longest=max(undo, timedelta(seconds=HOLD_SECONDS))),
        state=DeliveryState.WAITING,
        attempts=0,
        endpoint__isnull=False,
    )
    return entries.update(due_at=at) + first_attempts.update(next_attempt_at=at)
