"""Second factors of users: an app's codes, passkeys, recovery codes. allauth.mfa keeps and checks them."""

from datetime import datetime

from allauth.mfa.models import Authenticator
from django.db import transaction

from moderation.models import User
from moderation.operations.accounts import sessions, users
from moderation.operations.audit import entries

_audit = entries.writer("user")
_CODES_AT_ONCE = 3
"""How many codes of an app are valid at a time: the present one and, for inexact clocks, its neighbours."""


class CodeUsed(Exception):
    """Each code of an app opens once: somebody may have watched it being typed."""


def note(action: str, *, user: User, factor: Authenticator, at: datetime) -> None:
    """Record that a user added, removed, renewed or used up a factor."""
    with transaction.atomic():
        _audit(f"user.{action}", user, actor=user, at=at, factor=factor.type)


def use_up(code: str, *, factor: Authenticator) -> None:
    """Let a code of an app count once, in whichever process it is checked. Raises CodeUsed."""
    digits = "".join(filter(str.isdigit, code))
    with transaction.atomic():
        row = Authenticator.objects.select_for_update().get(pk=factor.pk)
        used = row.data.get("used", [])
        if digits in used:
            raise CodeUsed
        row.data["used"] = [*used, digits][-_CODES_AT_ONCE:]
        row.save(update_fields=("data",))


def remove_all(*, user_id: int, actor: User | None, at: datetime) -> None:
    """Remove somebody's second factors, who lost them; their sessions end. Raises User.DoesNotExist.

    One's own are removed with the password: raises users.NotYourself.
    """
    with transaction.atomic():
        user = User.objects.get(pk=user_id)
        users.refuse_self(user, actor)
        Authenticator.objects.filter(user=user).delete()
        sessions.forget(user=user, at=at)
        _audit("user.second_factors_removed", user, actor=actor, at=at)
