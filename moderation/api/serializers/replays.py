"""Stored records scored again with another release, in requests and answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.decisions import PostReferenceSerializer
from moderation.api.serializers.fields import InstantField, TextField, WholeNumberField
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models import Score
from moderation.models.scores import RouteChoice
from moderation.operations.releases.replay import Compared
from moderation.queries.wire import instant, reference

MOST = 200
_USUAL = 100
_LONGEST = timedelta(days=92)


class ReplayRangeSerializer(StrictSerializer):
    """When the posts were scored."""

    since = InstantField()
    until = InstantField()
    limit = WholeNumberField(min_value=1, max_value=MOST, **OPTIONAL, default=_USUAL, help_text="The newest.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Ask for a period of at most three months."""
        if not timedelta() < attrs["until"] - attrs["since"] <= _LONGEST:
            told = serializers.ErrorDetail("Must be after since, by at most 92 days.", code="bad_range")
            raise serializers.ValidationError({"until": [told]})
        return attrs


class ReplayRequestSerializer(StrictSerializer):
    """Which stored records, and which release scores them again."""

    decision_id = TextField(max_length=20, **OPTIONAL)
    range = ReplayRangeSerializer(**OPTIONAL)
    release = TextField(min_length=1, max_length=64, help_text="A release of `GET /models`.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Ask for exactly one of both."""
        if ("decision_id" in attrs) == ("range" in attrs):
            told = serializers.ErrorDetail("Name a decision or a range.", code="one_of_both")
            raise serializers.ValidationError({"decision_id": [told]})
        return attrs


class RoutedSerializer(serializers.Serializer[Any]):
    """A probability and the route that it leads to."""

    route = serializers.ChoiceField(choices=RouteChoice.values)
    spam_probability = serializers.FloatField(min_value=0, max_value=1)


class ReplayedSerializer(serializers.Serializer[Any]):
    """One stored record, scored again."""

    post = PostReferenceSerializer()
    scored_at = serializers.DateTimeField()
    release = serializers.CharField(help_text="The release that gave the stored score.")
    is_degraded = serializers.BooleanField(help_text="Whether it was scored without the content model then.")
    before = RoutedSerializer()
    after = RoutedSerializer()


class MoveSerializer(serializers.Serializer[Any]):
    """So many records took one route and would now take another, or the same."""

    before = serializers.ChoiceField(choices=RouteChoice.values)
    after = serializers.ChoiceField(choices=RouteChoice.values)
    posts = serializers.IntegerField()


class ReplaySerializer(serializers.Serializer[Any]):
    """What another release says of stored records. Nothing was written."""

    release = serializers.CharField()
    records = serializers.IntegerField(help_text="How many were scored again.")
    mean_difference = serializers.FloatField(
        allow_null=True, help_text="Mean absolute difference of the probabilities; null without records."
    )
    moves = MoveSerializer(many=True)
    data = ReplayedSerializer(many=True, help_text="Those that differ most come first.")  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own


def replay(found: Sequence[Compared], *, scores: Sequence[Score], release: str) -> dict[str, Any]:
    by_id = {score.pk: score for score in scores}
    routes = Counter((one.route_before, one.route_after) for one in found)
    largest = sorted(found, key=lambda one: (-_difference(one), one.score_id))
    return {
        "release": release,
        "records": len(found),
        "mean_difference": sum(map(_difference, found)) / len(found) if found else None,
        "moves": [
            {"before": before, "after": after, "posts": posts}
            for (before, after), posts in sorted(routes.items())
        ],
        "data": [_replayed(one, score=by_id[one.score_id]) for one in largest],
    }


def _replayed(one: Compared, *, score: Score) -> dict[str, Any]:
    return {
        "post": reference(score.revision.post, revision=score.revision.number),
        "scored_at": instant(score.scored_at),
        "release": score.release_id,
        "is_degraded": score.is_degraded,
        "before": {"route": one.route_before, "spam_probability": one.before},
        "after": {"route": one.route_after, "spam_probability": one.after},
    }


def _difference(one: Compared) -> float:
    return abs(one.after - one.before)
