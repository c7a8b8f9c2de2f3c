"""Who looks at which case. Rows are hints of half a minute; a claim alone decides who may act."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from moderation.models.cases import Case


class Presence(models.Model):
    """A person who reads a case that somebody else holds."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="readers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ("case_id", "user_id")
        constraints = (models.UniqueConstraint(fields=("case", "user"), name="reader_once_per_case"),)

    def __str__(self) -> str:
        return f"{self.user_id} at {self.case_id}"
