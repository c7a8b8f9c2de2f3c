"""The queue and its reviewers in numbers, in answers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.fields import OneOfField
from moderation.api.serializers.strict import StrictSerializer
from moderation.models.cases import CaseReason
from moderation.queries.cases.platform_queue import Queue, Reviewer
from moderation.queries.wire import instant

SPANS = {"1d": 1, "7d": 7, "28d": 28}


class ReviewersQuerySerializer(StrictSerializer):
    """The decisions of which period to count."""

    span = OneOfField(tuple(SPANS), required=False, default="7d")


class WaitingSerializer(serializers.Serializer[Any]):
    """Cases that wait for one reason."""

    reason = serializers.ChoiceField(choices=CaseReason.values)
    cases = serializers.IntegerField()


class QueueSerializer(serializers.Serializer[Any]):
    """Your cases now, without blind reviews."""

    at = serializers.DateTimeField()
    waiting = serializers.IntegerField()
    escalated = serializers.IntegerField(help_text="Of these, for leads alone.")
    claimed = serializers.IntegerField(help_text="Of these, held by somebody.")
    oldest_at = serializers.DateTimeField(allow_null=True, help_text="When the oldest one was opened.")
    reasons = WaitingSerializer(many=True)
    opened_24h = serializers.IntegerField()
    closed_24h = serializers.IntegerField()


class ReviewerSerializer(serializers.Serializer[Any]):
    """One person's decisions on your posts."""

    id = serializers.CharField()
    name = serializers.CharField()
    decisions = serializers.IntegerField()
    spam = serializers.IntegerField()
    not_spam = serializers.IntegerField()
    reversed = serializers.IntegerField(help_text="Of these, taken back since, by anybody.")
    last_at = serializers.DateTimeField()


class ReviewersSerializer(serializers.Serializer[Any]):
    """Who decided your posts, by name."""

    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    data = ReviewerSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own


def queue(found: Queue) -> dict[str, Any]:
    return {
        "at": instant(found.at),
        "waiting": found.waiting,
        "escalated": found.escalated,
        "claimed": found.claimed,
        "oldest_at": instant(found.oldest_at) if found.oldest_at else None,
        "reasons": [{"reason": reason.value, "cases": cases} for reason, cases in found.reasons.items()],
        "opened_24h": found.opened,
        "closed_24h": found.closed,
    }


def reviewer(one: Reviewer) -> dict[str, Any]:
    return {
        "id": str(one.user.pk),
        "name": str(one.user),
        "decisions": one.decisions,
        "spam": one.spam,
        "not_spam": one.decisions - one.spam,
        "reversed": one.reversed,
        "last_at": instant(one.last_at),
    }
