"""Appeals: request and answer formats."""

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer
from moderation.api.serializers.fields import TextField
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models import Appeal
from moderation.operations.decisions import recording
from moderation.queries.cases import platform_cases

OPEN, UPHELD, OVERTURNED, ERASED = "open", "upheld", "overturned", "erased"


class AppealRequestSerializer(StrictSerializer):
    """A decision that somebody disputes."""

    decision = TextField(max_length=20, help_text="Our id of the decision.")
    external_id = TextField(max_length=200, allow_blank=True, **OPTIONAL, help_text="Your id of the appeal.")
    reason = TextField(
        max_length=2_000,
        allow_blank=True,
        **OPTIONAL,
        help_text="In the words of who disputes it; moderators read it.",
    )


class AppealSerializer(AnswerSerializer):
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
    position = serializers.IntegerField(allow_null=True, help_text="Among your open appeals, 1 the oldest.")

    def read_position(self, row: Appeal) -> int | None:
        return platform_cases.position(row) if self.read_state(row) == OPEN else None

    def read_state(self, row: Appeal) -> str:
        """Return the state of an appeal that was loaded with its post, decision and outcome."""
        if row.outcome is None:
            return ERASED if row.post.erased_at is not None else OPEN
        is_upheld = recording.is_upheld(disputed=row.decision, outcome=row.outcome)
        return UPHELD if is_upheld else OVERTURNED
