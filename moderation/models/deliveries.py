"""Deliveries of decisions and other events to webhook endpoints, and the log of attempts."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models.decisions import Decision
from moderation.models.platforms import Platform
from moderation.models.posts import Post
from moderation.models.webhooks import WebhookEndpoint


class DeliveryState(models.TextChoices):
    """Waiting is retried until delivered or failed."""

    WAITING = "waiting", _("waiting")
    DELIVERED = "delivered", _("delivered")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


class Delivery(models.Model):
    """One webhook message to one endpoint. Its id is the `webhook-id`: the same on every attempt.

    The messages about one post go to an endpoint in the order of `sequence`, one after another. `lease_until`
    is set and committed before the call and emptied with its outcome: while it is not null, whatever the
    time, the platform may have received the message. `request_id` is that of the request that led to it, for
    the log.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="deliveries")
    endpoint = models.ForeignKey(
        WebhookEndpoint, on_delete=models.PROTECT, related_name="deliveries", db_index=False
    )
    post = models.ForeignKey(
        Post, null=True, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )
    decision = models.ForeignKey(
        Decision, null=True, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )
    event = models.CharField(max_length=40)
    sequence = models.PositiveIntegerField(default=1, db_default=1)
    body = models.JSONField()
    state = models.CharField(max_length=10, choices=DeliveryState.choices, default=DeliveryState.WAITING)
    created_at = models.DateTimeField()
    next_attempt_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    delivered_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=500, blank=True)
    request_id = models.CharField(max_length=520, blank=True, db_default="")

    class Meta:
        ordering = ("created_at", "id")
        constraints = (
            models.UniqueConstraint(fields=("decision", "endpoint", "event"), name="delivery_once_per_event"),
        )
        indexes = (
            models.Index(
                fields=("endpoint", "next_attempt_at", "id"),
                name="delivery_due_at_endpoint",
                condition=Q(state="waiting"),
            ),
            models.Index(fields=("post", "sequence"), name="delivery_of_post"),
            models.Index(fields=("endpoint", "-created_at", "-id"), name="delivery_log"),
            models.Index(
                fields=("endpoint", "-created_at", "-id"),
                name="delivery_failed",
                condition=Q(state="failed"),
            ),
        )


class DeliveryAttempt(models.Model):
    """One call of the endpoint: its result and duration."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="log")
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True, help_text="Null when no answer came.")
    error = models.CharField(max_length=500, blank=True)
    duration_ms = models.PositiveIntegerField()

    class Meta:
        ordering = ("at", "id")
        indexes = (models.Index(fields=("at",), name="attempt_failed", condition=~Q(error="")),)
