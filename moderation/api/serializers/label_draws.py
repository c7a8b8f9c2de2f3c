"""Random posts to be labelled."""

from __future__ import annotations

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.operations.labels.draws import MOST_DAYS, MOST_POSTS
from moderation.queries.labels.label_balance import DrawRow


class DrawRequestSerializer(StrictSerializer):
    """How many posts to draw, from how many days."""

    posts = serializers.IntegerField(min_value=1, max_value=MOST_POSTS, **OPTIONAL, default=100)
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, **OPTIONAL, default=7)


class DrawSerializer(AnswerSerializer):
    """A draw, and how many of its posts were decided."""

    id = serializers.CharField(source="draw.pk")
    asked_at = serializers.DateTimeField(source="draw.asked_at")
    days = serializers.IntegerField(source="draw.days")
    drawn = serializers.IntegerField(source="draw.drawn")
    population = serializers.IntegerField(
        source="draw.population", help_text="From how many posts they were drawn."
    )
    decided = serializers.IntegerField()
    waiting = serializers.IntegerField()
    is_cancelled = serializers.BooleanField()

    def read_is_cancelled(self, row: DrawRow) -> bool:
        return row.draw.cancelled_at is not None
