"""When each kind of process last worked, with the database and with the broker."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from moderation.models import Heartbeat

MISSING_AFTER_SECONDS = 60.0
"""Long enough for a restart on a busy machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A kind of process, by its name in deploy/. `seconds` since one was last seen; None if none ever was."""

    name: str
    seconds: float | None

    @property
    def is_missing(self) -> bool:
        """Return whether none works any more."""
        return self.seconds is None or self.seconds > MISSING_AFTER_SECONDS


def listed() -> list[Process]:
    """Return each worker, beat and web. A worker was seen when the last of its queues was."""
    ages = dict(Heartbeat.objects.values_list("sender", Now() - F("at")))
    senders = settings.WORKERS | {"beat": ("beat",), "web": ("web",)}
    return [
        Process(
            name=name,
            seconds=max(ages[sender].total_seconds() for sender in own) if ages.keys() >= set(own) else None,
        )
        for name, own in senders.items()
    ]
