"""Releases that scored something here, as their manifests say."""

from __future__ import annotations

from django.db import models


class Release(models.Model):
    """A release by its content hash. The files live in the release folder; the manifest is kept for ever."""

    id = models.CharField(max_length=64, primary_key=True)
    manifest = models.JSONField()
    first_used_at = models.DateTimeField()

    class Meta:
        ordering = ("-first_used_at", "id")

    def __str__(self) -> str:
        return self.id[:12]
