"""Figures of quality and alarms of drift in answers."""

from datetime import datetime
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer, DescribedSerializer, page_of
from moderation.api.serializers.cursors import KeysetField, NextCursorField, PageQuerySerializer
from moderation.api.serializers.fields import OneOfField
from moderation.models import QualityFigure
from moderation.models.platforms import Removal
from moderation.models.quality import Dimension, Measure, QualitySpan, QualityUnit
from moderation.queries.quality.drift_traits import TraitFamily
from moderation.queries.quality.removal import Standing
from moderation.queries.quality.stored import SPANS, more_labels

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
    cursor = KeysetField(str, str, str)


class EstimateSerializer(AnswerSerializer):
    """A share with its 95 % interval."""

    value = serializers.FloatField(
        allow_null=True, help_text="Null under 20 labels, or while a route lacks labels."
    )
    low = serializers.FloatField()
    high = serializers.FloatField()
    labels = serializers.IntegerField(help_text="How many labels it is estimated from.")


class QualityFigureSerializer(AnswerSerializer):
    """A measure of a slice of your posts."""

    measure = serializers.ChoiceField(choices=Measure.values)
    unit = serializers.ChoiceField(choices=QualityUnit.values)
    dimension = serializers.ChoiceField(choices=Dimension.values)
    slice = serializers.CharField(
        allow_blank=True, help_text="The language, reason, route or release; `language:release` of both."
    )
    weighted = EstimateSerializer(
        source="*", help_text="From all labels, each weighted by 1 over its chance."
    )
    uniform = EstimateSerializer(help_text="From uniformly drawn labels alone.")
    more_labels = serializers.IntegerField(
        allow_null=True,
        help_text="About how many more labels narrow the weighted interval to ±30 %; null within ±50 %.",
    )
    since = serializers.DateTimeField(source="start")
    until = serializers.DateTimeField(source="end")
    estimated_at = serializers.DateTimeField()

    def read_uniform(self, row: QualityFigure) -> dict[str, Any]:
        return {
            "value": row.uniform_value,
            "low": row.uniform_low,
            "high": row.uniform_high,
            "labels": row.uniform_labels,
        }

    def read_more_labels(self, row: QualityFigure) -> int | None:
        return more_labels(row)


class RemovalStandingSerializer(AnswerSerializer):
    """Whether the filter alone removes your posts, and how far that has proven right."""

    setting = serializers.ChoiceField(
        choices=Removal.values,
        source="platform.removal",
        help_text="When it does: `proven` while `low` is at least `promise`.",
    )
    is_automatic = serializers.BooleanField(
        source="platform.is_removing", help_text="Otherwise a person decides each removal."
    )
    proven_at = serializers.DateTimeField(source="platform.removal_proven_at", allow_null=True)
    right = serializers.IntegerField(source="trials.right", help_text="Removals that people found right.")
    wrong = serializers.IntegerField(source="trials.wrong")
    low = serializers.FloatField(help_text="The precision's lower bound, valid however often it is read.")
    promise = serializers.FloatField()
    missing = serializers.IntegerField(
        source="trials.missing", help_text="Decisions until it is proven, if all are right."
    )

    def read_low(self, standing: Standing) -> float:
        return standing.trials.interval[0]


class QualityPageSerializer(AnswerSerializer):
    """Figures, slice by slice."""

    data = QualityFigureSerializer(many=True, source="rows")  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
    next_cursor = NextCursorField(source="end", allow_null=True)
    removal = RemovalStandingSerializer()


_SLICES = ("language", "domain", "route")


class DriftQuerySerializer(PageQuerySerializer):
    """Which page to return."""

    cursor = KeysetField(datetime, int)


class TraitSerializer(DescribedSerializer):
    """What has grown; an author counts once in every four hours."""

    family = serializers.ChoiceField(choices=[family.value for family in TraitFamily])
    trait = serializers.CharField(
        allow_blank=True, help_text="A word, two neighbours, a domain, a language, or a bin of a number."
    )
    authors = serializers.IntegerField(help_text="With it in the 24 hours before `seen_at`.")
    all_authors = serializers.IntegerField()
    authors_before = serializers.IntegerField(help_text="With it on the 28 days before.")
    all_authors_before = serializers.IntegerField()


class DriftSliceSerializer(DescribedSerializer):
    """Where the posts of an alarm are."""

    kind = serializers.ChoiceField(choices=_SLICES)
    name = serializers.CharField(allow_blank=True)
    posts = serializers.IntegerField(help_text="Of the alarm's posts.")
    all_posts = serializers.IntegerField(help_text="Of all posts of the day.")


class DriftAlarmSerializer(AnswerSerializer):
    """Posts with certain traits have become more frequent."""

    id = serializers.CharField()
    raised_at = serializers.DateTimeField()
    seen_at = serializers.DateTimeField(help_text="When these posts were last noticed again.")
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    posts = serializers.IntegerField(help_text="In the 24 hours before `seen_at`.")
    all_posts = serializers.IntegerField()
    mean_probability = serializers.FloatField(help_text="Of spam, of these posts.")
    traits = TraitSerializer(many=True)
    slices = DriftSliceSerializer(many=True)


DriftPageSerializer = page_of(DriftAlarmSerializer, "Alarms, the newest first.", name="DriftPage")
