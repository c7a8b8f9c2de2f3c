"""Who signs in to the desk, and in which role."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _

from moderation.models import comfort as comforts
from moderation.models.comfort import Comfort


class Role(models.TextChoices):
    """What a person may do; each role has the rights of those named before it, `ml_engineer` aside."""

    MODERATOR = "moderator", _("Moderator")
    LEAD = "lead", _("Lead")
    ML_ENGINEER = "ml_engineer", _("ML engineer")
    ADMIN = "admin", _("Administrator")


class User(AbstractUser):
    """A person of the desk."""

    role = models.CharField(max_length=16, choices=Role.choices, default=Role.MODERATOR)
    must_change_password = models.BooleanField(
        default=False,
        help_text="Set when somebody else chose the password; the desk asks for a new one first.",
    )
    comfort_settings = models.JSONField(default=dict, blank=True)

    @property
    def comfort(self) -> Comfort:
        """How this person likes to work."""
        return comforts.read(self.comfort_settings)

    @property
    def may_decide(self) -> bool:
        """True for those who decide cases."""
        return self.role in {Role.MODERATOR, Role.LEAD, Role.ADMIN}

    @property
    def may_lead(self) -> bool:
        """True for those who see everyone's decisions and set bans."""
        return self.role in {Role.LEAD, Role.ADMIN}

    @property
    def may_administer(self) -> bool:
        """True for those who let people and platforms in."""
        return self.role == Role.ADMIN

    @property
    def may_export(self) -> bool:
        """True for those who take labels out."""
        return self.role in {Role.LEAD, Role.ML_ENGINEER, Role.ADMIN}
