"""Appeals: request and answer formats."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.fields import TextField
from moderation.api.serializers.strict import StrictSerializer
from moderation.models import Appeal
from moderation.operations.decisions import appeal_outcomes
from moderation.queries.wire import instant

OPEN, UPHELD, OVERTURNED, ERASED = "open", "upheld", "overturned", "erased"


class AppealRequestSerializer(StrictSerializer):
    """A decision that somebody disputes."""

    decision = TextField(max_length=20, help_text="Our id of the decision.")
    external_id = TextField(
        max_length=200,
        required=False,
        allow_blank=True,
        allow_null=True,
        help_text="Your id of the appeal.",
    )
    reason = TextField(
        max_length=2_000,
        required=False,
        allow_blank=True,
        allow_null=True,
        help_text="In the words of who disputes it; moderators read it.",
    )


class AppealSerializer(serializers.Serializer[Any]):
    """An appeal and its outcome."""

    id = serializers.CharField()
    external_id = serializers.CharField()
    state = serializers.ChoiceField(
        choices=(OPEN, UPHELD, OVERTURNED, ERASED),
        help_text="Upheld: the decision was right. Overturned: the outcome says the opposite.",
    )
    decision_id = serializers.CharField(help_text="The disputed decision.")
    case_id = serializers.CharField(help_text="The case in which it is looked at again.")
    outcome_id = serializers.CharField(allow_null=True, help_text="The decision that settled it.")
    filed_at = serializers.DateTimeField()


def appeal(row: Appeal) -> dict[str, Any]:
    """Return an appeal that was loaded with its post, decision and outcome."""
    return {
        "id": str(row.pk),
        "external_id": row.external_id,
        "state": _state(row),
        "decision_id": str(row.decision_id),
        "case_id": str(row.case_id),
        "outcome_id": str(row.outcome_id) if row.outcome_id else None,
        "filed_at": instant(row.filed_at),
    }


def _state(row: Appeal) -> str:
    if row.outcome is not None:
        return UPHELD if appeal_outcomes.is_upheld(disputed=row.decision, outcome=row.outcome) else OVERTURNED
    return ERASED if row.post.erased_at is not None else OPEN
