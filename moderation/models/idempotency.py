"""Answers stored under an Idempotency-Key: a repeated request gets the first answer."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from moderation.models.platforms import Platform


class StoredAnswer(models.Model):
    """Status and body of a successful answer, written in the transaction of the request's work."""

    platform = models.ForeignKey(
        Platform, on_delete=models.CASCADE, related_name="stored_answers", db_index=False
    )
    key = models.CharField(max_length=255, help_text="A digest: platforms choose what it is made of.")
    request_digest = models.CharField(max_length=64, help_text="Over method, path and body.")
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True)
    answered_at = models.DateTimeField()
    subjects = ArrayField(
        models.CharField(max_length=40),
        default=list,
        db_default=[],
        help_text="Whose words are in it: `post:1`, `author:1`. Their erasure wipes the answer.",
    )

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("platform", "key"), name="one_answer_per_idempotency_key"),
        )
        indexes = (
            models.Index(fields=("answered_at",), name="answer_by_age"),
            GinIndex(fields=("subjects",), name="answer_by_subject", condition=~models.Q(subjects=[])),
        )
