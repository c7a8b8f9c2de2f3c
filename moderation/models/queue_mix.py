"""The queue mix: which share of claims each lane of the queue gets."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

_ONLY = 1


class QueueMix(models.Model):
    """The shares in per cent, in one row; without it, everything comes by harm."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=_ONLY)
    harm = models.PositiveSmallIntegerField(default=100)
    uncertainty = models.PositiveSmallIntegerField(default=0)
    diversity = models.PositiveSmallIntegerField(default=0)
    audit = models.PositiveSmallIntegerField(default=0)
    changed_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(id=_ONLY), name="one_queue_mix"),
            models.CheckConstraint(
                condition=Q(harm=100 - F("uncertainty") - F("diversity") - F("audit")),
                name="queue_mix_is_whole",
            ),
        )

    def __str__(self) -> str:
        return f"{self.harm}/{self.uncertainty}/{self.diversity}/{self.audit}"
