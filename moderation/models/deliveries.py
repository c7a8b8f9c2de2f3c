"""Deliveries: decisions on their way back to the platform."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from moderation.models.cases import Decision
from moderation.models.platforms import Platform


class DeliveryState(models.TextChoices):
    """Waiting is retried until delivered or failed; polled means the platform reads decisions itself."""

    WAITING = "waiting", "waiting"
    DELIVERED = "delivered", "delivered"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"
    POLLED = "polled", "read by polling"


class Delivery(models.Model):
    """One webhook message. Its id is the `webhook-id`: the same on every attempt."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="deliveries")
    decision = models.OneToOneField(Decision, on_delete=models.CASCADE, related_name="delivery")
    event = models.CharField(max_length=40)
    body = models.JSONField()
    state = models.CharField(max_length=10, choices=DeliveryState.choices, default=DeliveryState.WAITING)
    created_at = models.DateTimeField()
    next_attempt_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    delivered_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("created_at", "id")
        indexes = (
            models.Index(fields=("next_attempt_at", "id"), name="delivery_due", condition=Q(state="waiting")),
        )

    def __str__(self) -> str:
        return str(self.id)
