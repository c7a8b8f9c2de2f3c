"""Notes that people leave on a case for each other."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from moderation.models.cases import Case


class CaseNote(models.Model):
    """What somebody wanted the next person to know. Never sent to the platform."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="case_notes")
    text = models.CharField(max_length=2000)
    written_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"note {self.pk} on case {self.case_id}"
