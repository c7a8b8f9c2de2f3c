"""Appeals: a platform passes on that somebody disputes a decision."""

from __future__ import annotations

from django.db import models

from moderation.models.cases import Case
from moderation.models.decisions import Decision
from moderation.models.platforms import Platform
from moderation.models.posts import Post


class Appeal(models.Model):
    """One per decision. A human's next decision on the post settles it; that one is its outcome."""

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="appeals")
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="appeals")
    decision = models.OneToOneField(Decision, on_delete=models.CASCADE, related_name="appeal")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="appeals")
    external_id = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=2000, blank=True, help_text="In the words of who disputes it.")
    filed_at = models.DateTimeField()
    outcome = models.ForeignKey(
        Decision, null=True, blank=True, on_delete=models.SET_NULL, related_name="settled_appeals"
    )

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"appeal {self.pk}"
