"""Bans: what makes a post spam without further question."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models.domains import Domain


class BanKind(models.TextChoices):
    """What a ban looks at: where a post's links lead, or the address it was sent from."""

    DOMAIN = "domain", _("domain")
    HOST = "host", _("host")
    ADDRESS = "address", _("address")


class Ban(models.Model):
    """A ban of a domain, of a host with those below it, or of an address or range of addresses.

    `value` is the canonical name: `evil.example`, `pay.evil.example`, `203.0.113.7`, `203.0.113.0/24`.
    """

    kind = models.CharField(max_length=8, choices=BanKind.choices, default=BanKind.DOMAIN)
    value = models.CharField(max_length=255)
    domain = models.ForeignKey(Domain, null=True, blank=True, on_delete=models.CASCADE, related_name="bans")
    first_address = models.GenericIPAddressField(null=True, blank=True)
    last_address = models.GenericIPAddressField(null=True, blank=True)
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
                fields=("kind", "value"), condition=Q(lifted_at__isnull=True), name="one_live_ban_per_value"
            ),
            models.CheckConstraint(
                condition=Q(kind="address", first_address__isnull=False, last_address__isnull=False)
                | Q(kind__in=("domain", "host"), domain__isnull=False),
                name="ban_names_its_target",
            ),
        )
        indexes = (
            models.Index(
                fields=("first_address", "last_address"),
                name="ban_by_address",
                condition=Q(kind="address", lifted_at__isnull=True),
            ),
        )

    def __str__(self) -> str:
        return f"{self.value}: {self.reason}"
