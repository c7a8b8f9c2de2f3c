"""Proposals that a release goes live, in requests and answers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer, DescribedSerializer, page_of
from moderation.api.serializers.fields import TextField
from moderation.api.serializers.simulations import (
    CostsRequestSerializer,
    PeriodField,
    ThresholdsRequestSerializer,
)
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models import ReleaseProposal
from moderation.models.learning import ProposalKind

_STATES = ("open", "confirmed", "refused", "expired")


class ProposalRequestSerializer(StrictSerializer):
    """What should go live: other thresholds, or the candidate of a training run."""

    thresholds = ThresholdsRequestSerializer(**OPTIONAL)
    training_run = TextField(max_length=20, **OPTIONAL, help_text="Its id.")
    days = PeriodField(
        **OPTIONAL, default=30, help_text="Whose labels the simulation of thresholds reads: 7, 30 or 90."
    )
    costs = CostsRequestSerializer(**OPTIONAL)
    reason = TextField(min_length=1, max_length=500)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Ask for exactly one of both."""
        if ("thresholds" in attrs) == ("training_run" in attrs):
            told = serializers.ErrorDetail("Name thresholds or a training run.", code="one_of_both")
            raise serializers.ValidationError({"thresholds": [told]})
        return attrs


class LiveThresholdsSerializer(DescribedSerializer):
    """Thresholds of a release."""

    review_from = serializers.FloatField()
    remove_from = serializers.FloatField()
    audit_rate = serializers.FloatField()


class ProposalSerializer(AnswerSerializer):
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

    def read_state(self, row: ReleaseProposal) -> str:
        if row.confirmed_by_id:
            return "confirmed"
        if row.refused_by_id:
            return "refused"
        return "open" if row.is_open(at=self.context["at"]) else "expired"

    def read_live_thresholds(self, row: ReleaseProposal) -> Any:
        return row.changes.get("from")

    def read_thresholds(self, row: ReleaseProposal) -> Any:
        return row.changes.get("to")

    def read_training_run(self, row: ReleaseProposal) -> Any:
        return row.changes.get("training_run")

    def read_is_own(self, row: ReleaseProposal) -> bool:
        return bool(row.made_by_id == self.context["person_id"])


ProposalPageSerializer = page_of(ProposalSerializer, "Proposals, the newest first.")
