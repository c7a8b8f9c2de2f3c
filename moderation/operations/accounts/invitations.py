"""Invitations: an administrator gives an address a role, and a link sets name and password once.

Who is invited has an account that is closed until then. Its link is Django's token for a new password: it
stops working with the first password, with the next link, and after PASSWORD_RESET_TIMEOUT.
"""

import re
import smtplib
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import mail
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from moderation.models import User
from moderation.models.users import Role
from moderation.operations.accounts.users import NameTaken
from moderation.operations.audit import entries

_audit = entries.writer("user")
LASTS = timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
_tokens = PasswordResetTokenGenerator()
_tokens.key_salt = "spamdesk.invitation"


class NoSuchInvitation(Exception):
    """The link is not ours, is too old, was used or was taken back; which of them is not said."""


def invite(*, address: str, role: Role, desk: str, actor: User, at: datetime) -> str:
    """Invite an address, again if it is invited already, and send the link; `desk` is how links begin.

    Return the link where no mail could be sent, for the administrator to hand over, else "". Raises NameTaken
    if the address has an account.
    """
    try:
        with transaction.atomic():
            user = _waiting().select_for_update().filter(email__iexact=address).first()
            if user is None:
                if User.objects.filter(email__iexact=address).exists():
                    raise NameTaken(address)
                user = User(username=address[:150], email=address, is_active=False)
            user.role, user.date_joined = role, at
            user.set_unusable_password()  # another one each time: earlier links end
            user.save()
            _audit("user.invited", user, actor=actor, at=at, role=role)
    except IntegrityError:
        raise NameTaken(address) from None
    token = f"{user.pk}-{_tokens.make_token(user)}"
    link = desk.rstrip("/") + reverse("invitation", args=[token])
    return "" if settings.EMAIL_HOST and _is_sent(link, address=address) else link


def revoke(*, user_id: int, actor: User, at: datetime) -> None:
    """Take an invitation back and forget its address. Raises User.DoesNotExist once it was accepted."""
    with transaction.atomic():
        user = _waiting().select_for_update().get(pk=user_id)
        _audit("user.invitation_revoked", user, actor=actor, at=at)
        user.delete()


def invited(token: str, *, is_locked: bool = False) -> User:
    """Return whose account a link opens. Raises NoSuchInvitation."""
    user_id, _dash, proof = token.partition("-")
    rows = _waiting().select_for_update() if is_locked else _waiting()
    user = rows.filter(pk=user_id).first() if re.fullmatch(r"[0-9]{1,9}", user_id) else None
    if user is None or not _tokens.check_token(user, proof):
        raise NoSuchInvitation
    return user


def accept(*, token: str, password: str, at: datetime, **names: str) -> None:
    """Open the account with what the form has checked. Raises NoSuchInvitation or NameTaken."""
    try:
        with transaction.atomic():
            user = invited(token, is_locked=True)
            for column, name in names.items():
                setattr(user, column, name)
            user.is_active = True
            user.set_password(password)
            user.save(update_fields=(*names, "is_active", "password"))
            _audit("user.invitation_accepted", user, actor=user, at=at)
    except IntegrityError:
        raise NameTaken(names["username"]) from None


def _waiting() -> QuerySet[User]:
    """Return the accounts of which `User.is_invited` is true."""
    closed = User.objects.filter(is_active=False, last_login=None)
    return closed.filter(password__startswith=UNUSABLE_PASSWORD_PREFIX).exclude(email="")


def _is_sent(link: str, *, address: str) -> bool:
    """Send the link in the language of the page; tell whether the mail server took it."""
    words = _(
        "An administrator invites you to Spamdesk. Choose your name and password here: %(link)s\n\n"
        "The link works once, for %(days)d days."
    )
    try:
        mail.send_mail(
            _("Invitation to Spamdesk"), words % {"link": link, "days": LASTS.days}, None, [address]
        )
    except (OSError, UnicodeError, smtplib.SMTPException):
        return False
    return True
