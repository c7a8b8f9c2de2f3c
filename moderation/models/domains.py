"""Registrable domains, the links that lead to them, and bans."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from moderation.models.posts import Revision


class Domain(models.Model):
    """A registrable domain, or an address used as a host, seen in a link."""

    name = models.CharField(max_length=255, unique=True)
    first_seen_at = models.DateTimeField()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class PostLink(models.Model):
    """A link of one revision."""

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="post_links")
    domain = models.ForeignKey(Domain, on_delete=models.CASCADE, related_name="post_links")
    position = models.PositiveSmallIntegerField()
    url = models.TextField()
    url_digest = models.CharField(max_length=64)
    host = models.CharField(max_length=255)
    received_at = models.DateTimeField()

    class Meta:
        ordering = ("revision_id", "position")
        constraints = (
            models.UniqueConstraint(fields=("revision", "position"), name="link_once_per_position"),
        )
        indexes = (
            models.Index(fields=("domain", "received_at"), name="link_domain_history"),
            models.Index(fields=("url_digest", "received_at"), name="link_url_history"),
        )

    def __str__(self) -> str:
        return self.url


class DomainBan(models.Model):
    """A ban of a domain; posts that link to it are spam without further question."""

    domain = models.ForeignKey(Domain, on_delete=models.CASCADE, related_name="bans")
    reason = models.CharField(max_length=500)
    imposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    imposed_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    lifted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-imposed_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("domain",), condition=Q(lifted_at__isnull=True), name="one_live_ban_per_domain"
            ),
        )

    def __str__(self) -> str:
        return f"{self.domain}: {self.reason}"
