"""Figures of quality in answers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.cursor_format import NextCursorField
from moderation.api.serializers.fields import OneOfField
from moderation.api.serializers.keyset import KeysetField, PageQuerySerializer
from moderation.models import QualityFigure
from moderation.models.platforms import Removal
from moderation.models.quality import Dimension, Measure, QualitySpan, QualityUnit
from moderation.queries.quality.removal import Standing
from moderation.queries.quality.stored import SPANS, more_labels
from moderation.queries.wire import instant

_SPANS = tuple(span.value for span in SPANS)


class QualityQuerySerializer(PageQuerySerializer):
    """Which figures to return."""

    span = OneOfField(_SPANS, required=False, default=QualitySpan.DAYS_28.value)
    dimension = OneOfField(tuple(Dimension.values), required=False)
    unit = OneOfField(
        tuple(QualityUnit.values),
        required=False,
        default=QualityUnit.POSTS.value,
        help_text="Shares of posts, or of how often posts were seen.",
    )
    language = serializers.CharField(
        max_length=35,
        required=False,
        help_text="Figures of this language alone; `und` where none was stated.",
    )
    release = serializers.CharField(
        max_length=64, required=False, help_text="Figures of this release alone; with `language`, of both."
    )
    cursor = KeysetField(kinds=(str, str, str), required=False)


class EstimateSerializer(serializers.Serializer[Any]):
    """A share with its 95 % interval."""

    value = serializers.FloatField(allow_null=True, help_text="Null under 20 labels.")
    low = serializers.FloatField()
    high = serializers.FloatField()
    labels = serializers.IntegerField(help_text="How many labels it is estimated from.")


class QualityFigureSerializer(serializers.Serializer[Any]):
    """A measure of a slice of your posts."""

    measure = serializers.ChoiceField(choices=Measure.values)
    unit = serializers.ChoiceField(choices=QualityUnit.values)
    dimension = serializers.ChoiceField(choices=Dimension.values)
    slice = serializers.CharField(
        allow_blank=True, help_text="The language, reason, route or release; `language:release` of both."
    )
    weighted = EstimateSerializer(help_text="From all labels, each weighted by 1 over its chance.")
    uniform = EstimateSerializer(help_text="From uniformly drawn labels alone.")
    more_labels = serializers.IntegerField(
        allow_null=True,
        help_text="About how many more labels narrow the weighted interval to ±30 %; null within ±50 %.",
    )
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    estimated_at = serializers.DateTimeField()


class RemovalStandingSerializer(serializers.Serializer[Any]):
    """Whether the filter alone removes your posts, and how far that has proven right."""

    setting = serializers.ChoiceField(
        choices=Removal.values, help_text="When it does: `proven` while `low` is at least `promise`."
    )
    is_automatic = serializers.BooleanField(help_text="Otherwise a person decides each removal.")
    proven_at = serializers.DateTimeField(allow_null=True)
    right = serializers.IntegerField(help_text="Removals that people found right.")
    wrong = serializers.IntegerField()
    low = serializers.FloatField(help_text="The precision's lower bound, valid however often it is read.")
    promise = serializers.FloatField()
    missing = serializers.IntegerField(help_text="Decisions until it is proven, if all are right.")


class QualityPageSerializer(serializers.Serializer[Any]):
    """Figures, slice by slice."""

    data = QualityFigureSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    next_cursor = NextCursorField(allow_null=True)
    removal = RemovalStandingSerializer()


def removal(standing: Standing) -> dict[str, Any]:
    platform, trials = standing.platform, standing.trials
    return {
        "setting": platform.removal,
        "is_automatic": platform.is_removing,
        "proven_at": instant(platform.removal_proven_at) if platform.removal_proven_at else None,
        "right": trials.right,
        "wrong": trials.wrong,
        "low": trials.interval[0],
        "promise": standing.promise,
        "missing": trials.missing,
    }


def figure(row: QualityFigure) -> dict[str, Any]:
    return {
        "measure": row.measure,
        "unit": row.unit,
        "dimension": row.dimension,
        "slice": row.slice,
        "weighted": {"value": row.value, "low": row.low, "high": row.high, "labels": row.labels},
        "uniform": {
            "value": row.uniform_value,
            "low": row.uniform_low,
            "high": row.uniform_high,
            "labels": row.uniform_labels,
        },
        "more_labels": more_labels(row),
        "since": instant(row.start),
        "until": instant(row.end),
        "estimated_at": instant(row.estimated_at),
    }
