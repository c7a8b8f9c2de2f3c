"""Notes that people leave on an author for each other."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from moderation.models.posts import Author


class AuthorNote(models.Model):
    """What somebody wanted the next person to know of an account. Never sent to the platform."""

    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="notes")
    written_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="author_notes"
    )
    text = models.CharField(max_length=2000, help_text="Empty once the author was erased.")
    written_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"note {self.pk} on author {self.author_id}"
