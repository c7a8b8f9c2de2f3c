"""What a demonstration needs before its first post: a platform and one account per role. Safe to repeat."""

from datetime import datetime

from django.conf import settings
from django.db import transaction

from moderation.models import ApiKey, Platform, User
from moderation.models.platforms import Collecting, Removal, Scope
from moderation.models.users import Role
from moderation.operations.accounts import api_keys, platforms

PLATFORM_SLUG = "demo-social"
PASSWORD = "demo"  # noqa: S105 - known to everybody, hence refused in production
KEY_NAME = "demo"

ACCOUNTS = (
    ("moderator", "Mona", "Moderator", Role.MODERATOR),
    ("lead", "Leo", "Lead", Role.LEAD),
    ("ml", "Emil", "Engineer", Role.ML_ENGINEER),
    ("admin", "Ada", "Admin", Role.ADMIN),
)
"""User name, first name, last name and role."""


class RefusedInProduction(Exception):
    """Accounts whose password everybody knows do not belong in a real installation."""


def demo(*, at: datetime) -> Platform:
    """Make the platform and the accounts that are missing; existing ones keep their password.

    Raises RefusedInProduction.
    """
    if settings.IS_PRODUCTION:
        raise RefusedInProduction("Demo accounts are for demo and test mode only.")
    with transaction.atomic():
        for username, first_name, last_name, role in ACCOUNTS:
            if not User.objects.filter(username=username).exists():
                User.objects.create_user(
                    username,
                    password=PASSWORD,
                    first_name=first_name,
                    last_name=last_name,
                    role=role,
                    is_staff=role == Role.ADMIN,
                    is_superuser=role == Role.ADMIN,
                )
        is_new = not Platform.objects.filter(slug=PLATFORM_SLUG).exists()
        # Nobody would decide the hundreds of removals that prove it: what a proven filter does is to be seen.
        platform = platforms.register(
            slug=PLATFORM_SLUG, name="Demo Social (simulated)", removal=Removal.ALWAYS, at=at
        )
        if is_new and settings.SIMULATED_WEB_PORT:
            # What simulated posts lead to is served by this machine.
            platform.collects_evidence, platform.browses_evidence = Collecting.ON, Collecting.UNSURE
            platform.save(update_fields=("collects_evidence", "browses_evidence"))
    return platform


def accounts_offered() -> list[User]:
    """Return the accounts that the sign-in page of a demonstration offers, in the order of their roles.

    Whether the password still opens them is not asked: that takes as long as signing in, on every request.
    """
    if not settings.IS_DEMO:
        return []
    names = [account[0] for account in ACCOUNTS]
    users = User.objects.filter(username__in=names, is_active=True, must_change_password=False)
    return sorted(users, key=lambda user: names.index(user.username))


def accounts_left() -> list[str]:
    """Return the demonstration's accounts that still open with its password; slow, as passwords should be."""
    names = [account[0] for account in ACCOUNTS]
    users = User.objects.filter(username__in=names, is_active=True).order_by("username")
    return [user.username for user in users if user.check_password(PASSWORD)]


def demo_key(*, platform: Platform, kept: str, at: datetime) -> str | None:
    """Return the secret of a new key with every scope, None if the kept one is valid or no key would be.

    The secret cannot be read back from the database: a lost file means a new key, and the old one is revoked.
    Raises RefusedInProduction.
    """
    if settings.IS_PRODUCTION:
        raise RefusedInProduction("Demo keys are for demo and test mode only.")
    if platform.off_at is not None:
        return None
    try:
        if api_keys.authenticate(secret=kept, at=at).platform_id == platform.pk:
            return None
    except api_keys.InvalidKey:
        pass  # missing, or of another database
    with transaction.atomic():
        for key in ApiKey.objects.filter(platform=platform, name=KEY_NAME, revoked_at__isnull=True):
            api_keys.revoke(key_id=key.pk, actor=None, at=at)
        lead = User.objects.filter(username="lead", is_active=True).first()
        _, secret = api_keys.issue(
            platform=platform, name=KEY_NAME, scopes=Scope.values, expires_at=None, acts_as=lead, at=at
        )
        return secret
