"""Users who sign in by an OpenID provider: made at the first sign-in, their role given at each."""

from collections.abc import Mapping
from datetime import datetime

from allauth.socialaccount.models import SocialAccount
from allauth.utils import generate_unique_username
from django.conf import settings
from django.db import transaction

from moderation.models import User
from moderation.models.users import Role
from moderation.operations.accounts import sessions
from moderation.operations.audit import entries

_audit = entries.writer("user")


class NoRole(Exception):
    """None of the groups that the provider names has a role here."""


def admit(*, account: SocialAccount, claims: Mapping[str, object], at: datetime) -> User:
    """Return the user of a provider's account, with the role of its groups. Raises NoRole.

    Nobody is recognised by a mail address: whoever may choose theirs at the provider could be anybody here.
    """
    role = _role(claims.get(settings.OIDC["claim"]))
    user: User | None = account.user if account.pk else None
    if role is None:
        if user is not None:
            sessions.forget(user=user, at=at)
        raise NoRole
    with transaction.atomic():
        if user is None:
            user = _made(account, claims, role=role, at=at)
        elif user.role != role:
            was, user.role = user.role, role
            user.reads_addresses = False
            user.save(update_fields=("role", "reads_addresses"))
            _audit("user.changed", user, actor=None, at=at, role=role, was=was)
        _audit("user.signed_in_by_provider", user, actor=user, at=at)
    return user


def _role(groups: object) -> Role | None:
    """Return the role of the first group of the setting that somebody is in."""
    theirs = groups if isinstance(groups, list) else [groups]
    return next((Role(role) for group, role in settings.OIDC["groups"].items() if group in theirs), None)


def _made(account: SocialAccount, claims: Mapping[str, object], *, role: Role, at: datetime) -> User:
    said = {
        name: str(claims.get(name) or "")[:150]
        for name in ("preferred_username", "given_name", "family_name")
    }
    username = generate_unique_username([said["preferred_username"], str(claims.get("name") or ""), "user"])
    names = {"first_name": said["given_name"], "last_name": said["family_name"]}
    user = User.objects.create_user(username, role=role, **names)  # without a password
    account.user = user
    account.save()
    _audit("user.provisioned", user, actor=None, at=at, role=role)
    return user
