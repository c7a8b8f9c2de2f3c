"""The queue and its reviewers in numbers, in answers."""

from datetime import UTC, date
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer
from moderation.api.serializers.fields import OneOfField, field_refusal
from moderation.api.serializers.strict import StrictSerializer
from moderation.models.cases import PLATFORM_REASONS
from moderation.models.decisions import DecisionSource, Verdict
from moderation.queries.activity import hours

SPANS = {"1d": 1, "7d": 7, "28d": 28}


class ReviewersQuerySerializer(StrictSerializer):
    """The decisions of which period to count."""

    span = OneOfField(tuple(SPANS), required=False, default="7d")


class WaitingSerializer(AnswerSerializer):
    """Cases that wait for one reason."""

    reason = serializers.ChoiceField(choices=PLATFORM_REASONS)
    cases = serializers.IntegerField()


class QueueSerializer(AnswerSerializer):
    """Your cases now, without blind reviews."""

    at = serializers.DateTimeField()
    waiting = serializers.IntegerField()
    escalated = serializers.IntegerField(help_text="Of these, for leads alone.")
    claimed = serializers.IntegerField(help_text="Of these, held by somebody.")
    oldest_at = serializers.DateTimeField(allow_null=True, help_text="When the oldest one was opened.")
    reasons = WaitingSerializer(many=True)
    opened_24h = serializers.IntegerField()
    closed_24h = serializers.IntegerField()


class ReviewerSerializer(AnswerSerializer):
    """One person's decisions on your posts."""

    id = serializers.CharField(source="user.pk")
    name = serializers.CharField(source="user")
    decisions = serializers.IntegerField()
    spam = serializers.IntegerField()
    not_spam = serializers.IntegerField()
    reversed = serializers.IntegerField(help_text="Of these, taken back since, by anybody.")
    last_at = serializers.DateTimeField()


class ReviewersSerializer(AnswerSerializer):
    """Who decided your posts, by name."""

    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    data = ReviewerSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own


class ActivityQuerySerializer(StrictSerializer):
    """Which days to count, in UTC; `from` cannot be the name of an attribute."""

    def get_fields(self) -> dict[str, Any]:
        told = {"from": "The first day; else that of its month.", "to": "The last day, included; else today."}
        return {name: serializers.DateField(required=False, help_text=says) for name, says in told.items()}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the period, which ends today at the latest. Raises ValidationError."""
        last = min(attrs.get("to", date.max), timezone.now().date())
        first = attrs.get("from", last.replace(day=1))
        if not 0 <= (last - first).days < hours.LONGEST:
            raise field_refusal("from", f"Must be in the {hours.LONGEST} days up to `to`.", code="bad_range")
        return {"period": hours.period(first=first, last=last, zone=UTC)}


class CaseFiguresSerializer(AnswerSerializer):
    """Cases opened and closed, without blind reviews, and the time from one to the other."""

    reason = serializers.ChoiceField(choices=PLATFORM_REASONS, allow_null=True, help_text="Null: of all.")
    opened = serializers.IntegerField()
    closed = serializers.IntegerField(help_text="Decided, or answered by a new score or an edit.")
    median_seconds = serializers.FloatField(allow_null=True)
    p90_seconds = serializers.FloatField(allow_null=True, help_text="90 % took no longer.")


class VerdictFiguresSerializer(AnswerSerializer):
    """Verdicts without those undone before you were told, and how long their cases were open."""

    source = serializers.ChoiceField(choices=DecisionSource.values)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    verdict = serializers.ChoiceField(choices=Verdict.values)
    reason = serializers.CharField(allow_blank=True, help_text="The category's code; empty without one.")
    decisions = serializers.IntegerField()
    reversed = serializers.IntegerField(help_text="Of these, taken back since, by anybody.")
    median_seconds = serializers.FloatField(allow_null=True)
    p90_seconds = serializers.FloatField(allow_null=True)


class ActivitySerializer(AnswerSerializer):
    """What you sent in a period, and what became of it."""

    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    posts = serializers.IntegerField(help_text="With accounts that were reported.")
    complaints = serializers.IntegerField()
    cases = CaseFiguresSerializer(many=True)
    verdicts = VerdictFiguresSerializer(many=True)
    appeals = serializers.IntegerField(help_text="Filed in the period.")
    upheld = serializers.IntegerField(help_text="Appeals settled in the period.")
    overturned = serializers.IntegerField()
