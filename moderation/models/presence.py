"""Presence of users on cases and pages. Rows are hints; only a claim allows to act."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from moderation.models.cases import Case


class Presence(models.Model):
    """A user who reads a case that somebody else has claimed."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="readers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ("case_id", "user_id")
        constraints = (models.UniqueConstraint(fields=("case", "user"), name="reader_once_per_case"),)


class ReviewPage(models.Model):
    """A review page in a browser, by its own random id."""

    page = models.UUIDField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    leased = ArrayField(models.BigIntegerField(), default=list, help_text="Cases of the last answer to it.")
    used_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("used_at", "id")
        constraints = (models.UniqueConstraint(fields=("user", "page"), name="review_page_once"),)
