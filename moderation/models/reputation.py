"""What is known from outside or by likeness: verdicts of reputation providers, and bands of like accounts."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from moderation.models.posts import Author


class ReputationProvider(models.TextChoices):
    """Who can be asked about a link."""

    WEB_RISK = "web_risk", "Google Web Risk"
    TRUST = "trust", "Web of Trust"
    REGISTRATION = "registration", "domain registration (RDAP)"


class LinkVerdict(models.Model):
    """What a provider said of a URL (by its digest) or a domain; kept, so that records of the past stay true.

    A verdict counts from `fetched_at` until `expires_at`. `value` and `live_since_at` are both null where the
    provider knows nothing.
    """

    provider = models.CharField(max_length=12, choices=ReputationProvider.choices)
    subject = models.CharField(max_length=255, help_text="A URL's SHA-256, or a registrable domain.")
    value = models.FloatField(null=True, help_text="Threat 0 to 1, or trust 0 to 100.")
    live_since_at = models.DateTimeField(null=True)
    detail = models.CharField(max_length=200, blank=True, help_text="The provider's own words.")
    fetched_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ("subject", "provider", "-fetched_at")
        constraints = (
            models.CheckConstraint(condition=Q(expires_at__gt=models.F("fetched_at")), name="verdict_lasts"),
        )
        indexes = (models.Index(fields=("subject", "provider", "-fetched_at"), name="verdict_latest"),)

    def __str__(self) -> str:
        return f"{self.provider}: {self.subject}"


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
