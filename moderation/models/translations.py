"""Machine translations of posts, kept so that no text is sent twice."""

from __future__ import annotations

from django.db import models

from moderation.models.posts import Revision


class Translation(models.Model):
    """What a service made of a revision's text in one language; deleted when the post is erased."""

    revision = models.ForeignKey(
        Revision, on_delete=models.CASCADE, related_name="translations", db_index=False
    )
    language = models.CharField(max_length=16, help_text="The language that it is in.")
    text = models.TextField(blank=True)
    translated_by = models.CharField(max_length=300)
    is_whole = models.BooleanField(help_text="Whether the whole text was sent, or its beginning.")
    translated_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("revision", "language"), name="translation_once_per_language"),
        )

    def __str__(self) -> str:
        return f"{self.revision_id}: {self.language}"
