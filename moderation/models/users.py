"""Users of the desk, their roles and sessions."""

import uuid

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.contrib.sessions.models import Session
from django.db import models
from django.db.models import Value
from django.utils.translation import gettext_lazy as _

from moderation.models import desk_settings, network_names
from moderation.models.preferences import Preferences, read_preferences


class Role(models.TextChoices):
    """What a user may do; each role has the rights of those named before it, `ml_engineer` aside."""

    MODERATOR = "moderator", _("Moderator")
    LEAD = "lead", _("Lead")
    ML_ENGINEER = "ml_engineer", _("ML engineer")
    ADMIN = "admin", _("Administrator")


DECIDERS = frozenset({Role.MODERATOR, Role.LEAD, Role.ADMIN})
"""Roles that decide cases."""


class User(AbstractUser):
    """Somebody who signs in to the desk."""

    role = models.CharField(max_length=16, choices=Role.choices, default=Role.MODERATOR)
    must_change_password = models.BooleanField(
        default=False,
        help_text="Set when somebody else chose the password; the desk asks for a new one first.",
    )
    languages = ArrayField(
        models.CharField(max_length=16),
        default=list,
        db_default=Value([], output_field=ArrayField(models.CharField(max_length=16))),
        blank=True,
        help_text="What this user reads; cases in other languages are not handed out. Empty: all of them.",
    )
    reads_addresses = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether an ML engineer sees the addresses and e-mail domains that posts came from.",
    )
    stored_preferences = models.JSONField(default=dict, blank=True)
    acts_by_key = False
    """Set while a platform's key acts in the user's name: the platform's own cases are all open to it."""

    def __str__(self) -> str:
        """Return the name that others read: the full name, else the user name."""
        return self.get_full_name() or self.username

    @property
    def is_invited(self) -> bool:
        """Whether the account waits for the person whom its address invites."""
        has_begun = self.is_active or self.last_login is not None or self.has_usable_password()
        return bool(self.email) and not has_begun

    @property
    def preferences(self) -> Preferences:
        """Display, shortcuts and breaks, as this user chose them."""
        return read_preferences(self.stored_preferences)

    @property
    def may_decide(self) -> bool:
        """Whether the user may decide cases."""
        return self.role in DECIDERS

    @property
    def may_read(self) -> bool:
        """Whether the user may read posts, cases and decisions."""
        return self.may_decide or self.role == Role.ML_ENGINEER

    @property
    def may_read_everyones_decisions(self) -> bool:
        """Whether the user reads more than their own decisions."""
        return self.may_lead or self.role == Role.ML_ENGINEER

    @property
    def may_read_origins(self) -> bool:
        """Whether the user sees where a post came from: the e-mail domain, and the IP address or its name."""
        return self.may_decide or (self.role == Role.ML_ENGINEER and self.reads_addresses)

    @property
    def may_read_addresses(self) -> bool:
        """Whether the user sees the IP addresses themselves, and may search by one."""
        has_names = self.role == Role.MODERATOR and desk_settings.current().names_networks
        return self.may_read_origins and not has_names

    def address_shown(self, address: str | None) -> str:
        """Return an IP address or range as the user may read it: itself, its name, "" where it is hidden."""
        if not address or not self.may_read_origins:
            return ""
        return address if self.may_read_addresses else network_names.name_of(address)

    def address_meant(self, text: str) -> str:
        """Return the address or range that the user asks for, itself or by name; "" where they may not."""
        if (named := network_names.address_of(text)) is not None:
            return named if self.may_read_origins else ""
        return text if self.may_read_addresses else ""

    @property
    def may_lead(self) -> bool:
        """Whether the user sees everyone's decisions and may set rules."""
        return self.role in {Role.LEAD, Role.ADMIN}

    @property
    def may_administer(self) -> bool:
        """Whether the user may manage users and platforms."""
        return self.role == Role.ADMIN

    @property
    def may_export(self) -> bool:
        """Whether the user may export labels."""
        return self.role in {Role.LEAD, Role.ML_ENGINEER, Role.ADMIN}


class UserSession(models.Model):
    """One session of a user, from its sign-in on. Pages name it by `public_id`, never by its secret key.

    It is in force while Django's session is.
    """

    session = models.OneToOneField(
        Session, on_delete=models.CASCADE, related_name="of_user", db_constraint=False
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sessions")
    public_id = models.UUIDField(default=uuid.uuid4, unique=True)
    browser = models.CharField(max_length=20, blank=True)
    system = models.CharField(max_length=20, blank=True)
    signed_in_at = models.DateTimeField()
    used_at = models.DateTimeField()

    class Meta:
        ordering = ("-used_at", "id")
