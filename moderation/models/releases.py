"""Releases that scored something here, as their manifests say, and which of them was live when."""

from typing import Any

from django.db import models

from moderation.models.person import optional_user


class Release(models.Model):
    """A release by its content hash. The files live in the release folder; the manifest is kept for ever."""

    id = models.CharField(max_length=64, primary_key=True)
    manifest = models.JSONField()
    first_used_at = models.DateTimeField()

    class Meta:
        ordering = ("-first_used_at", "id")

    def __str__(self) -> str:
        return self.id[:12]

    def own_routes(self, platform: str) -> dict[str, Any]:
        """Return the part of the manifest on a platform's own curve and thresholds, empty if it has none."""
        return (self.manifest.get("platforms") or {}).get(platform) or {}

    def thresholds_on(self, platform: str) -> dict[str, float]:
        """Return the thresholds of a platform, by slug: its own, or those that all others share."""
        return (self.own_routes(platform) or self.manifest).get("thresholds") or {}


class PromotionKind(models.TextChoices):
    """Why a release went live."""

    PROMOTE = "promote", "promoted"
    ROLLBACK = "rollback", "rolled back to"


class Promotion(models.Model):
    """A release that went live. The newest row names the live one; rows are only ever added.

    Without any row the release that ships with the code is live.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="promotions")
    replaced = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=8, choices=PromotionKind.choices)
    at = models.DateTimeField()
    actor = optional_user()
    findings = models.JSONField(default=list, help_text="What the gate asked: [question, passed, answer].")

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                condition=~models.Q(release=models.F("replaced")), name="promotion_changes_the_release"
            ),
        )
