"""Stored figures of quality, as a sweep last estimated them: pages and the API read these rows alone.

Drift: what posts are like, counted by four hours, and alarms where something has become more frequent.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models.person import optional_user
from moderation.models.platforms import Platform, optional_platform


class Measure(models.TextChoices):
    """What is estimated of all posts that the models routed."""

    PRECISION = "precision", _("Precision")
    MISSED = "missed", _("Spam among posts let through")
    RECALL = "recall", _("Recall")
    PREVALENCE = "prevalence", _("Spam among all posts")
    FALSE_ALARMS = "false_alarms", _("False positive rate")


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

    `value` is null while there are too few labels, or a route lacks them. `platform` is null for all
    together.
    """

    platform = optional_platform(has_index=False)
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

    platform = optional_platform(has_index=False)
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


class DriftBlock(models.Model):
    """Four hours of a platform's posts: how many authors had each trait.

    `counts` holds one 16-bit number for each bucket of traits; empty without posts.
    """

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="+", db_index=False)
    starts_at = models.DateTimeField()
    posts = models.PositiveIntegerField()
    authors = models.PositiveIntegerField()
    counts = models.BinaryField()

    class Meta:
        ordering = ("platform_id", "starts_at")
        constraints = (models.UniqueConstraint(fields=("platform", "starts_at"), name="one_drift_block"),)


class DriftWatch(models.Model):
    """How far a platform's posts have been watched, and the evidence so far.

    `evidence` holds 32-bit floats, logarithms; `restarts` the buckets with an alarm, and from when on
    their counts are compared again.
    """

    platform = models.OneToOneField(Platform, on_delete=models.CASCADE, primary_key=True, related_name="+")
    next_at = models.DateTimeField()
    evidence = models.BinaryField()
    restarts = models.JSONField(default=dict)

    class Meta:
        ordering = ("platform_id",)


class DriftAlarm(models.Model):
    """Posts with certain traits have become more frequent, and which posts these are.

    Numbers are of the 24 hours before `seen_at`. `traits` and `slices` are objects with the same members.
    """

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="+", db_index=False)
    raised_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    posts = models.PositiveIntegerField()
    all_posts = models.PositiveIntegerField()
    traits = models.JSONField()
    slices = models.JSONField()
    mean_probability = models.FloatField()
    sample = models.JSONField(help_text="Ids of some of the posts, the newest first.")
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = optional_user(has_index=False)

    class Meta:
        ordering = ("-raised_at", "-id")
        indexes = (
            models.Index(fields=("-raised_at", "-id"), name="drift_newest"),
            models.Index(fields=("platform", "-raised_at", "-id"), name="drift_of_platform"),
            models.Index(fields=("platform",), name="drift_open", condition=Q(acknowledged_at__isnull=True)),
        )
