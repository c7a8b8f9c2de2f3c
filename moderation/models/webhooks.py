"""Webhook endpoints of platforms, and their signing secrets."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from moderation.models.platforms import Platform


class WebhookEvent(models.TextChoices):
    """Webhook events: an endpoint gets decisions by default, other events only by name."""

    DECISION_CREATED = "decision.created"
    DECISION_REVERSED = "decision.reversed"
    ACTION_CONFIRMED = "action.confirmed"
    ACTION_ENDED = "action.ended"
    POST_SCORED = "post.scored"
    CASE_OPENED = "case.opened"
    CAMPAIGN_DECIDED = "campaign.decided"
    APPEAL_DECIDED = "appeal.decided"
    COMPLAINT_DECIDED = "complaint.decided"
    EXPORT_READY = "export.ready"
    RULE_ACTIVATED = "rule.activated"
    MODEL_PROMOTED = "model.promoted"


class EndpointState(models.TextChoices):
    """A disabled endpoint gets nothing more. A removed one stays for its log."""

    ACTIVE = "active", "active"
    DISABLED = "disabled", "disabled"
    REMOVED = "removed", "removed"


class WebhookEndpoint(models.Model):
    """A webhook URL of a platform. Empty `events` means decision events.

    That of an integration is never posted to: settings.INTEGRATION_CALLER carries its deliveries out.
    """

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="webhook_endpoints")
    url = models.URLField(max_length=500)
    events = ArrayField(models.CharField(max_length=40, choices=WebhookEvent.choices), default=list)
    state = models.CharField(max_length=8, choices=EndpointState.choices, default=EndpointState.ACTIVE)
    state_reason = models.CharField(max_length=200, blank=True)
    is_integration = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    version = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("platform", "url"), condition=~Q(state="removed"), name="endpoint_once_per_platform"
            ),
        )


class CircuitState(models.TextChoices):
    """Open: the endpoint is not called; half open: one call probes whether it answers again."""

    CLOSED = "closed", "closed"
    OPEN = "open", "open"
    HALF_OPEN = "half_open", "half open"


class EndpointCircuit(models.Model):
    """Circuit breaker of an endpoint, and the lease of the worker that sends to it.

    A separate row, since it changes with every turn, and the endpoint's version belongs to the platform.
    `since` is when the circuit left `closed`; before `retry_at` nothing is sent. Only the holder of the lease
    sends.
    """

    endpoint = models.OneToOneField(
        WebhookEndpoint, primary_key=True, on_delete=models.CASCADE, related_name="circuit"
    )
    state = models.CharField(max_length=9, choices=CircuitState.choices, default=CircuitState.CLOSED)
    failures = models.PositiveIntegerField(default=0, help_text="In a row.")
    openings = models.PositiveIntegerField(default=0, help_text="In a row: each pause is longer.")
    since = models.DateTimeField(null=True, blank=True)
    retry_at = models.DateTimeField(null=True, blank=True)
    is_slow = models.BooleanField(default=False)
    last_error = models.CharField(max_length=500, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("endpoint",)


class SignatureKind(models.TextChoices):
    """How a delivery is signed: a shared secret, or a key whose public half the platform knows."""

    HMAC = "hmac"
    ED25519 = "ed25519"


class SigningSecret(models.Model):
    """An encrypted secret of an endpoint. Several are in force during a rotation."""

    endpoint = models.ForeignKey(WebhookEndpoint, on_delete=models.CASCADE, related_name="secrets")
    kind = models.CharField(max_length=8, choices=SignatureKind.choices)
    ciphertext = models.TextField()
    public_key = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
