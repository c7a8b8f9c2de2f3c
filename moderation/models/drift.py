"""What posts are like, counted by four hours, and alarms where something has become more frequent."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from moderation.models.person import optional_user
from moderation.models.platforms import Platform


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
