"""Answers kept under an Idempotency-Key: whoever repeats a request gets what the first one got."""

from __future__ import annotations

from django.db import models

from moderation.models.platforms import Platform


class StoredAnswer(models.Model):
    """Status and body of a request that did something. Written in the transaction of what it did."""

    platform = models.ForeignKey(
        Platform, on_delete=models.CASCADE, related_name="stored_answers", db_index=False
    )
    key = models.CharField(max_length=255)
    request_digest = models.CharField(max_length=64, help_text="Over method, path and body.")
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True)
    answered_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("platform", "key"), name="one_answer_per_idempotency_key"),
        )
        indexes = (models.Index(fields=("answered_at",), name="answer_by_age"),)

    def __str__(self) -> str:
        return f"{self.status} under {self.key}"
