"""Decisions and statements of reasons: answer formats."""

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer, DescribedSerializer
from moderation.api.serializers.cursors import NextCursorField
from moderation.api.serializers.fields import TextField
from moderation.api.serializers.strict import StrictSerializer
from moderation.models.actions import Action
from moderation.models.decisions import DecisionSource, Verdict
from moderation.queries import wire
from moderation.queries.decisions.statements import OTHER, SCAMS


class PostQuerySerializer(StrictSerializer):
    """Which post to return."""

    external_id = TextField(max_length=200, help_text="Your id of the post.")


class PostReferenceSerializer(DescribedSerializer):
    """The revision of a post, or of an account's profile, that a decision is about."""

    id = serializers.CharField()
    external_id = serializers.CharField()
    revision = serializers.IntegerField()
    subject = serializers.CharField(required=False, help_text="Only of an account: `account`.")
    account = serializers.CharField(required=False, help_text="Only of an account: your id of it.")


ACTIONS = [action.value for action in Action if action != Action.NOTHING]


class ActionSerializer(DescribedSerializer):
    """What the platform does besides taking the verdict."""

    action = serializers.ChoiceField(choices=ACTIONS)
    until = serializers.DateTimeField(allow_null=True, help_text="When it ends; null if it does not.")


class DecisionSerializer(serializers.Serializer[Any]):
    """What was decided about a post."""

    id = serializers.CharField()
    post = PostReferenceSerializer()
    verdict = serializers.ChoiceField(choices=Verdict.values)
    source = serializers.ChoiceField(choices=DecisionSource.values)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    reason = serializers.CharField(help_text="A short code, may be empty.")
    decided_at = serializers.DateTimeField()
    reverses = serializers.CharField(
        allow_null=True, help_text="The id of the decision that this one replaces."
    )
    reversed = serializers.BooleanField(help_text="True once a later decision has replaced this one.")
    spam_probability = serializers.FloatField(min_value=0, max_value=1)
    is_degraded = serializers.BooleanField(
        help_text="True if the content model was unavailable when the post was scored."
    )
    release = serializers.CharField(help_text="The release of the models that scored the post.")
    actions = ActionSerializer(
        many=True,
        required=False,
        help_text="What to do now besides the verdict; left out if no rule of yours names an action.",
    )
    awaiting = serializers.ChoiceField(
        choices=ACTIONS,
        required=False,
        help_text="An action that a second person has yet to confirm: do not carry it out.",
    )
    undo = serializers.ListField(
        child=serializers.ChoiceField(choices=ACTIONS),
        required=False,
        help_text="Actions of earlier decisions on the post to take back.",
    )

    def to_representation(self, row: Any) -> dict[str, Any]:
        """Return a decision that was loaded with its post, revision, score and reversals."""
        replaced = getattr(row, "replaces", None)
        told = wire.decision(row, reverses=replaced.decision_id if replaced else None)
        follow_up = wire.follow_up(getattr(row, "action", None), undone=row.undoes.all())
        return told | {"reversed": getattr(row, "reversal", None) is not None} | follow_up


class FedDecisionSerializer(DecisionSerializer):
    """A decision in the feed."""

    entered_at = serializers.DateTimeField(
        help_text="When it entered this feed; never earlier than that of the decision before it."
    )

    def to_representation(self, entry: Any) -> dict[str, Any]:
        """Return the decision of an entry that has a number."""
        entered_at = wire.instant(entry.entered_at or entry.due_at)
        return super().to_representation(entry.decision) | {"entered_at": entered_at}


class DecisionPageSerializer(AnswerSerializer):
    """Decisions in the order of the feed."""

    data = FedDecisionSerializer(many=True, source="rows")  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    next_cursor = NextCursorField(
        source="end",
        allow_null=True,
        help_text="Where to continue, now or at the next poll; null until something has been decided.",
    )
    has_more = serializers.BooleanField(help_text="True if more can be read at once.")


class StatementSerializer(serializers.Serializer[Any]):
    """The statement for the author and for the Commission's database."""

    puid = serializers.CharField(help_text="Our id of the decision.")
    decision_visibility = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Of what is done to the post."
    )
    decision_account = serializers.CharField(required=False, help_text="Of a suspended account.")
    decision_provision = serializers.CharField(required=False, help_text="Of a limited account.")
    end_date_visibility_restriction = serializers.DateField(required=False)
    end_date_account_restriction = serializers.DateField(required=False)
    end_date_service_restriction = serializers.DateField(required=False)
    decision_ground = serializers.CharField()
    incompatible_content_ground = serializers.CharField()
    incompatible_content_explanation = serializers.CharField()
    incompatible_content_illegal = serializers.CharField()
    category = serializers.ChoiceField(choices=(SCAMS, OTHER))
    content_type = serializers.ListField(child=serializers.CharField())
    content_date = serializers.DateField()
    application_date = serializers.DateField()
    decision_facts = serializers.CharField()
    source_type = serializers.CharField()
    automated_detection = serializers.CharField()
    automated_decision = serializers.CharField()
