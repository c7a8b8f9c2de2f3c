"""Requested exports of labels."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from moderation.models.person import acting_user
from moderation.models.platforms import optional_platform


class ExportState(models.TextChoices):
    """How far an export is."""

    WAITING = "waiting", _("waiting")
    BUILDING = "building", _("in progress")
    READY = "ready", _("ready")
    FAILED = "failed", _("failed")


class ExportFormat(models.TextChoices):
    """What the file of an export is; training reads JSON lines."""

    JSONL = "jsonl", _("JSON Lines")
    CSV = "csv", "CSV"
    PARQUET = "parquet", "Parquet"


class Export(models.Model):
    """A file of labels with its manifest, built by a task. `splits` are those in it, empty for all."""

    requested_by = acting_user(related_name="exports")
    platform = optional_platform(
        related_name="exports", help_text="Only labels of this platform; empty takes all."
    )
    requested_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=ExportState.choices, default=ExportState.WAITING)
    format = models.CharField(
        max_length=8,
        choices=ExportFormat.choices,
        default=ExportFormat.JSONL,
        db_default=ExportFormat.JSONL,
    )
    splits = ArrayField(models.CharField(max_length=10), default=list, db_default=[], blank=True)
    has_weights = models.BooleanField(default=True, db_default=True)
    has_addresses = models.BooleanField(
        default=True,
        db_default=True,
        help_text="Whether records name IP addresses and e-mail domains; else placeholders stand for them.",
    )
    since = models.DateTimeField(null=True, blank=True)
    until = models.DateTimeField(null=True, blank=True)
    after = models.JSONField(
        null=True,
        blank=True,
        help_text="Only what changed since these positions of feeds, by platform; empty for all that stands.",
    )
    rows_written = models.PositiveIntegerField(default=0)
    rows_expected = models.PositiveIntegerField(default=0)
    manifest = models.JSONField(null=True, blank=True)
    file_name = models.CharField(max_length=200, blank=True)
    error = models.CharField(max_length=500, blank=True)
    attempts = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How often somebody began to build it; each has a file of its own."
    )
    lease_until = models.DateTimeField(
        null=True, blank=True, help_text="Until then its message or its builder is trusted to come."
    )

    class Meta:
        ordering = ("-requested_at", "-id")
