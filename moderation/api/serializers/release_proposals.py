"""Proposals that a release goes live, in requests and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.fields import TextField
from moderation.api.serializers.keyset import page_format
from moderation.api.serializers.simulations import (
    CostsRequestSerializer,
    PeriodField,
    ThresholdsRequestSerializer,
)
from moderation.api.serializers.strict import StrictSerializer
from moderation.models import ReleaseProposal
from moderation.models.learning import ProposalKind
from moderation.queries.wire import instant

_STATES = ("open", "confirmed", "refused", "expired")


class ProposalRequestSerializer(StrictSerializer):
    """What should go live: other thresholds, or the candidate of a training run."""

    thresholds = ThresholdsRequestSerializer(required=False, allow_null=True)
    training_run = TextField(max_length=20, required=False, allow_null=True, help_text="Its id.")
    days = PeriodField(
        required=False,
        allow_null=True,
        default=30,
        help_text="Whose labels the simulation of thresholds reads: 7, 30 or 90.",
    )
    costs = CostsRequestSerializer(required=False, allow_null=True)
    reason = TextField(min_length=1, max_length=500)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Ask for exactly one of both."""
        if ("thresholds" in attrs) == ("training_run" in attrs):
            told = serializers.ErrorDetail("Name thresholds or a training run.", code="one_of_both")
            raise serializers.ValidationError({"thresholds": [told]})
        return attrs


class LiveThresholdsSerializer(serializers.Serializer[Any]):
    """Thresholds of a release."""

    review_from = serializers.FloatField()
    remove_from = serializers.FloatField()
    audit_rate = serializers.FloatField()


class ProposalSerializer(serializers.Serializer[Any]):
    """A proposal that a release goes live."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=ProposalKind.values)
    state = serializers.ChoiceField(choices=_STATES)
    candidate = serializers.CharField(help_text="The release that should go live.")
    replaces = serializers.CharField(help_text="The release that was live when it was proposed.")
    live_thresholds = LiveThresholdsSerializer(allow_null=True, help_text="Null unless thresholds change.")
    thresholds = LiveThresholdsSerializer(allow_null=True, help_text="Null unless thresholds change.")
    training_run = serializers.CharField(
        allow_null=True, help_text="The training run that made the candidate, if one did."
    )
    reason = serializers.CharField()
    is_own = serializers.BooleanField(help_text="Whether your key's person made it, so another confirms it.")
    made_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


ProposalPageSerializer = page_format(ProposalSerializer, about="Proposals, the newest first.")


def proposal(row: ReleaseProposal, *, person_id: int | None, at: datetime) -> dict[str, Any]:
    """Return a proposal as the key of a person, or of nobody, reads it."""
    run = row.changes.get("training_run")
    return {
        "id": str(row.pk),
        "kind": row.kind,
        "state": _state(row, at=at),
        "candidate": row.candidate,
        "replaces": row.replaces,
        "live_thresholds": row.changes.get("from"),
        "thresholds": row.changes.get("to"),
        "training_run": None if run is None else str(run),
        "reason": row.reason,
        "is_own": row.made_by_id == person_id,
        "made_at": instant(row.made_at),
        "expires_at": instant(row.expires_at),
        "closed_at": instant(row.closed_at) if row.closed_at else None,
    }


def _state(row: ReleaseProposal, *, at: datetime) -> str:
    if row.confirmed_by_id:
        return "confirmed"
    if row.refused_by_id:
        return "refused"
    return "open" if row.is_open(at=at) else "expired"
