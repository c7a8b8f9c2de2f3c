"""Alarms of drift in answers."""

from __future__ import annotations

from datetime import datetime

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer, DescribedSerializer, page_of
from moderation.api.serializers.keyset import KeysetField, PageQuerySerializer
from moderation.queries.quality.drift_traits import TraitFamily

_SLICES = ("language", "domain", "route")


class DriftQuerySerializer(PageQuerySerializer):
    """Which page to return."""

    cursor = KeysetField(kinds=(datetime, int), required=False)


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
