"""Webhook endpoints, their secrets and deliveries."""

from datetime import datetime
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer, page_of
from moderation.api.serializers.cursors import KeysetField, PageQuerySerializer
from moderation.api.serializers.fields import (
    FlagField,
    OneOfField,
    TextField,
    TextListField,
    WholeNumberField,
)
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models import Delivery, EndpointCircuit, WebhookEndpoint
from moderation.models.deliveries import DeliveryState
from moderation.models.webhooks import CircuitState, EndpointState, SignatureKind, WebhookEvent

MAX_OVERLAP_HOURS = 24 * 30
DEFAULT_OVERLAP_HOURS = 24


@extend_schema_field(
    {
        "type": "array",
        "items": {"type": "string", "enum": WebhookEvent.values},
        "maxItems": len(WebhookEvent.values),
    }
)
class EventListField(TextListField):
    """Names of events."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_items=len(WebhookEvent.values), max_length=40, **kwargs)

    def to_internal_value(self, data: Any) -> list[str]:
        """Return the names, each once."""
        names = super().to_internal_value(data)
        if set(names) - set(WebhookEvent.values):
            message = f"Must be of {', '.join(WebhookEvent.values)}."
            raise serializers.ValidationError(message, code="invalid_choice")
        return list(dict.fromkeys(names))


class EndpointRequestSerializer(StrictSerializer):
    """The URL and the events of a new endpoint."""

    url = TextField(max_length=500, help_text="http or https, without credentials, at a public address.")
    events = EventListField(**OPTIONAL, help_text="Decisions, if left out.")
    signature = OneOfField(
        choices=SignatureKind.values, **OPTIONAL, default=SignatureKind.HMAC, help_text="hmac or ed25519."
    )


class EndpointChangeSerializer(StrictSerializer):
    """Changes of an endpoint; fields left out are kept."""

    url = TextField(max_length=500, **OPTIONAL)
    events = EventListField(**OPTIONAL)
    is_active = FlagField(**OPTIONAL)


class SecretRequestSerializer(StrictSerializer):
    """The kind of the new secret and its overlap with the old one."""

    signature = OneOfField(choices=SignatureKind.values, **OPTIONAL, default=SignatureKind.HMAC)
    overlap_hours = WholeNumberField(
        max_value=MAX_OVERLAP_HOURS,
        **OPTIONAL,
        default=DEFAULT_OVERLAP_HOURS,
        help_text=f"How long the old ones keep signing: 0 to {MAX_OVERLAP_HOURS}.",
    )


class SecretSerializer(AnswerSerializer):
    """A secret in force; it cannot be read again."""

    id = serializers.CharField()
    signature = serializers.ChoiceField(source="kind", choices=SignatureKind.values)
    public_key = serializers.CharField(help_text="Of ed25519; empty for hmac.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)


class NewSecretSerializer(SecretSerializer):
    """A new secret, shown this once."""

    secret = serializers.CharField(help_text="whsec_… to verify with; of ed25519 the public key whpk_….")


class CircuitSerializer(AnswerSerializer):
    """Whether the endpoint is called: not while its circuit is open, because it did not answer."""

    state = serializers.ChoiceField(choices=CircuitState.values)
    since = serializers.DateTimeField(allow_null=True, help_text="When it began not to answer.")
    retry_at = serializers.DateTimeField(allow_null=True, help_text="When it is called again.")
    last_error = serializers.CharField()


class EndpointSerializer(AnswerSerializer):
    """An endpoint and its state."""

    id = serializers.CharField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField(), help_text="Empty: decisions.")
    state = serializers.ChoiceField(choices=EndpointState.values)
    state_reason = serializers.CharField()
    circuit = CircuitSerializer()
    created_at = serializers.DateTimeField()

    def read_circuit(self, row: WebhookEndpoint) -> EndpointCircuit:
        """Return the circuit; nothing was sent yet to an endpoint without one."""
        return getattr(row, "circuit", None) or EndpointCircuit()


class NewEndpointSerializer(EndpointSerializer):
    """A new endpoint with its secret, shown this once."""

    secret = serializers.CharField(help_text="whsec_… to verify with; of ed25519 the public key whpk_….")


class EndpointListSerializer(AnswerSerializer):
    """All endpoints: there are few."""

    data = EndpointSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own


class DeliveryQuerySerializer(PageQuerySerializer):
    """Which deliveries to return."""

    state = OneOfField(choices=DeliveryState.values, required=False)
    cursor = KeysetField(datetime, UUID)


class AttemptSerializer(AnswerSerializer):
    """One call of the endpoint."""

    at = serializers.DateTimeField()
    status = serializers.IntegerField(allow_null=True, help_text="Null when no answer came.")
    error = serializers.CharField()
    duration_ms = serializers.IntegerField()


class DeliverySerializer(AnswerSerializer):
    """One message to one endpoint."""

    id = serializers.CharField(help_text="The webhook-id, the same on every attempt.")
    event = serializers.CharField()
    state = serializers.ChoiceField(choices=DeliveryState.values)
    post = serializers.CharField(help_text="Your id of the post; empty if it is about none.")
    sequence = serializers.IntegerField(
        help_text="Its place among the messages about the post; 1 without one."
    )
    attempts = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    next_attempt_at = serializers.DateTimeField(allow_null=True)
    delivered_at = serializers.DateTimeField(allow_null=True)
    last_error = serializers.CharField()

    def read_post(self, row: Delivery) -> str:
        return row.post.external_id if row.post else ""

    def read_next_attempt_at(self, row: Delivery) -> datetime | None:
        return row.next_attempt_at if row.state == DeliveryState.WAITING else None


class WholeDeliverySerializer(DeliverySerializer):
    """A message with its body and every attempt."""

    body = serializers.DictField()
    log = AttemptSerializer(many=True)


DeliveryPageSerializer = page_of(DeliverySerializer, "Deliveries, the newest first.")
