"""The queue and its reviewers in numbers, in answers."""

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer
from moderation.api.serializers.fields import OneOfField
from moderation.api.serializers.strict import StrictSerializer
from moderation.models.cases import CaseReason
from moderation.queries.cases.platform_queue import Queue, Reviewer

SPANS = {"1d": 1, "7d": 7, "28d": 28}


class ReviewersQuerySerializer(StrictSerializer):
    """The decisions of which period to count."""

    span = OneOfField(tuple(SPANS), required=False, default="7d")


class WaitingSerializer(AnswerSerializer):
    """Cases that wait for one reason."""

    reason = serializers.ChoiceField(choices=CaseReason.values)
    cases = serializers.IntegerField()


class QueueSerializer(AnswerSerializer):
    """Your cases now, without blind reviews."""

    at = serializers.DateTimeField()
    waiting = serializers.IntegerField()
    escalated = serializers.IntegerField(help_text="Of these, for leads alone.")
    claimed = serializers.IntegerField(help_text="Of these, held by somebody.")
    oldest_at = serializers.DateTimeField(allow_null=True, help_text="When the oldest one was opened.")
    reasons = WaitingSerializer(many=True)
    opened_24h = serializers.IntegerField(source="opened")
    closed_24h = serializers.IntegerField(source="closed")

    def read_reasons(self, queue: Queue) -> list[dict[str, Any]]:
        return [{"reason": reason, "cases": cases} for reason, cases in queue.reasons.items()]


class ReviewerSerializer(AnswerSerializer):
    """One person's decisions on your posts."""

    id = serializers.CharField(source="user.pk")
    name = serializers.CharField(source="user")
    decisions = serializers.IntegerField()
    spam = serializers.IntegerField()
    not_spam = serializers.IntegerField()
    reversed = serializers.IntegerField(help_text="Of these, taken back since, by anybody.")
    last_at = serializers.DateTimeField()

    def read_not_spam(self, row: Reviewer) -> int:
        return row.decisions - row.spam


class ReviewersSerializer(AnswerSerializer):
    """Who decided your posts, by name."""

    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    data = ReviewerSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
