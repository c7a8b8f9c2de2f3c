"""Answers of reputation providers about links and domains."""

from django.db import models
from django.db.models import Q


class ReputationProvider(models.TextChoices):
    """The supported reputation providers."""

    WEB_RISK = "web_risk", "Google Web Risk"
    TRUST = "trust", "Web of Trust"
    REGISTRATION = "registration", "domain registration (RDAP)"


class LinkVerdict(models.Model):
    """A provider's answer about a URL (by digest) or a domain; kept, so that past records can be rebuilt.

    A verdict counts from `fetched_at` until `expires_at`. `value` and `live_since_at` are both null if the
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
