"""Create users, change their roles, deactivate them.

A password set by somebody else must be changed first.
"""

import secrets
import string
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from moderation.models import Case, User
from moderation.models.cases import CaseState
from moderation.models.users import Role
from moderation.operations.accounts import sessions
from moderation.operations.audit import entries
from moderation.operations.refusals import Refusal

_audit = entries.writer("user")
_ALPHABET = "".join(sorted(set(string.ascii_letters + string.digits) - set("0O1lI")))
_LENGTH = 16  # 93 random bits, and short enough to be read out once


class NameTaken(Exception):
    """Somebody signs in under this name."""


class LastAdministrator(Refusal):
    """Without this administrator nobody could manage users."""


class NoMLEngineer(Refusal):
    """Only for ML engineers can access to addresses be set; people who decide cases have it."""


class NotYourself(Refusal):
    """Users cannot remove their own role or close their own account: a slip would lock them out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Name and role, as an administrator sets them."""

    first_name: str
    last_name: str
    role: Role


def create(*, username: str, profile: Profile, actor: User | None, at: datetime) -> tuple[User, str]:
    """Make an account; return it with a password to be changed at the first sign-in. Raises NameTaken."""
    password = _password()
    try:
        with transaction.atomic():
            user = User.objects.create_user(
                username,
                password=password,
                first_name=profile.first_name,
                last_name=profile.last_name,
                role=profile.role,
                must_change_password=True,
            )
            _audit("user.created", user, actor=actor, at=at, role=profile.role)
    except IntegrityError:
        raise NameTaken(username) from None
    return user, password


def change(*, user_id: int, profile: Profile, actor: User, at: datetime) -> User:
    """Change somebody's name and role. Raises NotYourself or LastAdministrator."""
    with transaction.atomic():
        user = _locked(user_id)
        was = user.role
        if was != profile.role:
            refuse_self(user, actor)
            _refuse_last(user)
        user.first_name, user.last_name, user.role = profile.first_name, profile.last_name, profile.role
        # A new ML engineer has to ask again.
        user.reads_addresses = user.reads_addresses and profile.role == Role.ML_ENGINEER
        user.save(update_fields=("first_name", "last_name", "role", "reads_addresses"))
        _audit("user.changed", user, actor=actor, at=at, role=profile.role, was=was)
    return user


def allow_addresses(*, user_id: int, is_allowed: bool, actor: User, at: datetime) -> None:
    """Let an ML engineer see addresses and e-mail domains of posts, or no longer. Raises NoMLEngineer."""
    with transaction.atomic():
        user = _locked(user_id)
        if user.role != Role.ML_ENGINEER:
            raise NoMLEngineer(_("Only ML engineers are allowed to see addresses one by one."))
        user.reads_addresses = is_allowed
        user.save(update_fields=("reads_addresses",))
        action = "user.addresses_allowed" if is_allowed else "user.addresses_hidden"
        _audit(action, user, actor=actor, at=at)


def deactivate(*, user_id: int, actor: User, at: datetime) -> None:
    """Close an account: its sessions end and its claims go back. Raises NotYourself or LastAdministrator."""
    with transaction.atomic():
        user = _locked(user_id)
        refuse_self(user, actor)
        _refuse_last(user)
        user.is_active = False
        user.save(update_fields=("is_active",))
        sessions.forget(user=user, at=at)
        Case.objects.filter(claimed_by=user, state=CaseState.OPEN).update(claimed_by=None, lease_end_at=None)
        _audit("user.deactivated", user, actor=actor, at=at)


def reactivate(*, user_id: int, actor: User, at: datetime) -> None:
    """Reopen a closed account; the password stays what it was."""
    with transaction.atomic():
        user = _locked(user_id)
        user.is_active = True
        user.save(update_fields=("is_active",))
        _audit("user.reactivated", user, actor=actor, at=at)


def reset_password(*, user_id: int, actor: User, at: datetime) -> str:
    """Give somebody a password to be changed at the next sign-in; their sessions end."""
    password = _password()
    with transaction.atomic():
        user = _locked(user_id)
        user.set_password(password)
        user.must_change_password = True
        user.save(update_fields=("password", "must_change_password"))
        sessions.forget(user=user, at=at)
        _audit("user.password_reset", user, actor=actor, at=at)
    return password


def choose_password(*, user: User, password: str, at: datetime) -> None:
    """Set one's own password, checked by the form. Every other session ends: it carries a hash of the old."""
    with transaction.atomic():
        user.set_password(password)
        user.must_change_password = False
        user.save(update_fields=("password", "must_change_password"))
        _audit("user.password_chosen", user, actor=user, at=at)


def refuse_self(user: User, actor: User | None) -> None:
    """Raise NotYourself for an act on one's own account."""
    if user == actor:
        raise NotYourself(_("You cannot change your own role or deactivate your own account."))


def _locked(user_id: int) -> User:
    """Lock the user and every administrator: two who demote each other at once must not both succeed."""
    list(User.objects.select_for_update().filter(role=Role.ADMIN).order_by("id"))
    return User.objects.select_for_update().get(pk=user_id)


def _refuse_last(user: User) -> None:
    administrators = User.objects.filter(role=Role.ADMIN, is_active=True).exclude(pk=user.pk)
    if user.role == Role.ADMIN and user.is_active and not administrators.exists():
        raise LastAdministrator(_("At least one administrator must remain."))


def _password() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
