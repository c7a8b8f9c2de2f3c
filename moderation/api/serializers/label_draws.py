"""Random posts to be labelled."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.strict import StrictSerializer
from moderation.operations.labels.draws import MOST_DAYS, MOST_POSTS
from moderation.queries.labels.label_balance import DrawRow
from moderation.queries.wire import instant


class DrawRequestSerializer(StrictSerializer):
    """How many posts to draw, from how many days."""

    posts = serializers.IntegerField(
        min_value=1, max_value=MOST_POSTS, required=False, allow_null=True, default=100
    )
    days = serializers.IntegerField(
        min_value=1, max_value=MOST_DAYS, required=False, allow_null=True, default=7
    )


class DrawSerializer(serializers.Serializer[Any]):
    """A draw, and how many of its posts were decided."""

    id = serializers.CharField()
    asked_at = serializers.DateTimeField()
    days = serializers.IntegerField()
    drawn = serializers.IntegerField()
    population = serializers.IntegerField(help_text="From how many posts they were drawn.")
    decided = serializers.IntegerField()
    waiting = serializers.IntegerField()
    is_cancelled = serializers.BooleanField()


def draw(row: DrawRow) -> dict[str, Any]:
    return {
        "id": str(row.draw.pk),
        "asked_at": instant(row.draw.asked_at),
        "days": row.draw.days,
        "drawn": row.draw.drawn,
        "population": row.draw.population,
        "decided": row.decided,
        "waiting": row.waiting,
        "is_cancelled": row.draw.cancelled_at is not None,
    }
