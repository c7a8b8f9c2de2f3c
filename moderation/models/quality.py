"""Stored figures of quality, as a sweep last estimated them: pages and the API read these rows alone."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from moderation.models.platforms import Platform


class Measure(models.TextChoices):
    """What is estimated of all posts that the models routed."""

    PRECISION = "precision", _("Removed posts that are spam")
    MISSED = "missed", _("Spam among posts let through")
    RECALL = "recall", _("Spam that is removed")
    PREVALENCE = "prevalence", _("Spam among all posts")
    FALSE_ALARMS = "false_alarms", _("Honest posts removed")


class Dimension(models.TextChoices):
    """By what posts are divided; ALL is not divided."""

    ALL = "all", _("All posts")
    LANGUAGE = "language", _("Language")
    REASON = "reason", _("Reason")
    ROUTE = "route", _("Route")
    RELEASE = "release", _("Release")
    LANGUAGE_RELEASE = "language_release", _("Language and release")


class QualityUnit(models.TextChoices):
    """What a share is a share of: posts, or how often posts were seen."""

    POSTS = "posts", _("posts")
    VIEWS = "views", _("views")


class QualitySpan(models.TextChoices):
    """When the posts of a figure came in: until it was estimated, or in one day or week (UTC)."""

    DAYS_7 = "7d", _("last 7 days")
    DAYS_28 = "28d", _("last 28 days")
    DAYS_90 = "90d", _("last 90 days")
    DAY = "day", _("day")
    WEEK = "week", _("week")


class QualityTableKind(models.TextChoices):
    """What a stored table counts."""

    RELIABILITY = "reliability", _("Reliability")
    OVERRIDES = "overrides", _("Decisions corrected, by reason")
    APPEALS = "appeals", _("Appeals, by reason")
    COMPLAINTS = "complaints", _("Complaints, by reason")
    RULES = "rules", _("Accuracy of rules")
    AGREEMENT = "agreement", _("Agreement between people")
    PLAN = "plan", _("Labels needed")
    UNDECIDED = "undecided", _("Undecided posts")


class QualityFigure(models.Model):
    """One estimate with its 95 % interval; `uniform_…` is that from uniformly drawn labels alone.

    `value` is null while there are too few labels. `platform` is null for all together.
    """

    platform = models.ForeignKey(
        Platform, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    span = models.CharField(max_length=4, choices=QualitySpan.choices)
    start = models.DateTimeField()
    end = models.DateTimeField()
    dimension = models.CharField(max_length=16, choices=Dimension.choices)
    slice = models.CharField(max_length=80, blank=True)
    measure = models.CharField(max_length=12, choices=Measure.choices)
    unit = models.CharField(
        max_length=5,
        choices=QualityUnit.choices,
        default=QualityUnit.POSTS,
        db_default=QualityUnit.POSTS,
    )
    value = models.FloatField(null=True)
    low = models.FloatField()
    high = models.FloatField()
    labels = models.PositiveIntegerField()
    uniform_value = models.FloatField(null=True)
    uniform_low = models.FloatField()
    uniform_high = models.FloatField()
    uniform_labels = models.PositiveIntegerField()
    estimated_at = models.DateTimeField()

    class Meta:
        ordering = ("platform_id", "span", "unit", "dimension", "slice", "start", "measure")
        constraints = (
            models.UniqueConstraint(
                fields=("platform", "span", "unit", "dimension", "slice", "start", "measure"),
                name="estimated_once_per_slice_and_unit",
                nulls_distinct=False,
            ),
        )


class QualityTable(models.Model):
    """One table of counts of a span; `rows` are objects with the same members."""

    platform = models.ForeignKey(
        Platform, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    span = models.CharField(max_length=4, choices=QualitySpan.choices)
    kind = models.CharField(max_length=12, choices=QualityTableKind.choices)
    rows = models.JSONField()
    counted_at = models.DateTimeField()

    class Meta:
        ordering = ("platform_id", "span", "kind")
        constraints = (
            models.UniqueConstraint(
                fields=("platform", "span", "kind"), name="one_quality_table", nulls_distinct=False
            ),
        )
