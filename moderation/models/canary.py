"""Canaries: a candidate that decides for a share of authors, until it is promoted, ended or rolled back."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from moderation.models.shadow import ShadowRun


class CanaryEnd(models.TextChoices):
    """Why a canary ended."""

    PERSON = "person", _("ended by a person")
    WORSE = "worse", _("rolled back by itself: certainly worse")
    FAILED = "failed", _("rolled back by itself: it could not score")
    LIVE_CHANGED = "live_changed", _("ended by itself: another release went live")
    EXPIRED = "expired", _("nobody confirmed it within a week")


class CanaryRun(models.Model):
    """A candidate that scores all posts of `share` of the authors, chosen by a key, in place of `live`.

    One person proposes it from a shadow run, another confirms it: then it has `started_at`. `failures` counts
    batches that the live release had to score in its place. `figures` are those of both arms, as last
    estimated.
    """

    shadow = models.ForeignKey(ShadowRun, on_delete=models.PROTECT, related_name="+")
    candidate = models.CharField(max_length=64)
    live = models.CharField(max_length=64)
    share = models.FloatField(help_text="Of authors, in (0, 0.5].")
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    proposed_at = models.DateTimeField()
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )
    started_at = models.DateTimeField(null=True, blank=True)
    stopped_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )
    stopped_at = models.DateTimeField(null=True, blank=True)
    end = models.CharField(max_length=12, choices=CanaryEnd.choices, blank=True)
    end_details = models.CharField(max_length=500, blank=True)
    failures = models.PositiveIntegerField(default=0)
    figures = models.JSONField(default=list)
    slot = models.PositiveSmallIntegerField(
        default=1, help_text="Always 1: the constraint allows one open canary."
    )

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=("slot",), condition=Q(stopped_at__isnull=True), name="one_open_canary"
            ),
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=True) | ~Q(confirmed_by=F("proposed_by")),
                name="canary_has_two_names",
            ),
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=True, started_at__isnull=True)
                | Q(confirmed_by__isnull=False, started_at__isnull=False),
                name="canary_is_confirmed_whole",
            ),
            models.CheckConstraint(condition=~Q(candidate=F("live")), name="canary_compares_two_releases"),
            models.CheckConstraint(condition=Q(share__gt=0, share__lte=0.5), name="canary_share_in_range"),
        )

    def __str__(self) -> str:
        return f"canary {self.pk}: {self.candidate[:12]}"

    @property
    def is_running(self) -> bool:
        """Whether the candidate decides."""
        return self.started_at is not None and self.stopped_at is None

    @property
    def is_open(self) -> bool:
        """Whether it runs or waits for a second person."""
        return self.stopped_at is None
