"""Similarity: bands by which near-duplicate texts and similar accounts are found."""

from __future__ import annotations

from django.db import models

from moderation.models.posts import Author


class SimilarityBand(models.Model):
    """One band of a near-duplicate signature and the group it leads to; one row per distinct band."""

    digest = models.BigIntegerField(primary_key=True)
    similarity_group = models.UUIDField()

    def __str__(self) -> str:
        return str(self.digest)


class AuthorBand(models.Model):
    """One trait pair of an account as first seen; accounts that share several look alike."""

    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="bands", db_index=False)
    digest = models.BigIntegerField()
    first_seen_at = models.DateTimeField()

    class Meta:
        ordering = ("author_id", "digest")
        constraints = (models.UniqueConstraint(fields=("author", "digest"), name="band_once_per_author"),)
        indexes = (models.Index(fields=("digest", "-first_seen_at"), name="band_authors"),)

    def __str__(self) -> str:
        return f"{self.author_id}: {self.digest}"
