"""Browsers that somebody signed in with before: others' wrong passwords do not keep these out.

The device cookie of OWASP's "Slow Down Online Guessing Attacks with Device Cookies": signed, per user, made
anew at each sign-in, and bound to the password, so that a new password makes every browser unknown. It opens
nothing by itself. https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
"""

import secrets
from datetime import datetime

from django.core import signing
from django.db import transaction
from django.utils.crypto import constant_time_compare, salted_hmac

from moderation.models import User
from moderation.operations.audit import entries
from moderation.operations.infrastructure import limits

_audit = entries.writer("user")
COOKIE_SECONDS = 365 * 86_400
LINK_SECONDS = 900
_COOKIE_SALT, _LINK_SALT = "spamdesk.device", "spamdesk.device-link"
_MARK_SALT = "spamdesk.device-password"


class NoSuchLink(Exception):
    """The link is not ours, is too old, was used before, or cannot be checked now."""


def cookie(user: User) -> str:
    """Return the cookie that makes a browser known to belong to somebody."""
    return signing.dumps(
        {"user": user.pk, "device": secrets.token_urlsafe(12), "password": _mark_of(user)}, salt=_COOKIE_SALT
    )


def recognise(value: str, *, username: str) -> str:
    """Return the device that a cookie names for the user of this name, empty if none."""
    if not value:
        return ""
    try:
        fields = signing.loads(value, salt=_COOKIE_SALT, max_age=COOKIE_SECONDS)
    except signing.BadSignature:
        return ""
    user = User.objects.filter(pk=fields["user"], username=username).first()
    is_known = user is not None and constant_time_compare(fields["password"], _mark_of(user))
    return str(fields["device"]) if is_known else ""


def make_link(*, user: User, at: datetime) -> str:
    """Return the token of a link that makes one browser known, once, within LINK_SECONDS."""
    token = signing.dumps({"user": user.pk, "link": secrets.token_urlsafe(12)}, salt=_LINK_SALT)
    with transaction.atomic():
        _audit("user.device_link_made", user, actor=None, at=at)
    return token


def redeem(token: str, *, at: datetime) -> User:
    """Redeem a link; return its user. Raises NoSuchLink."""
    try:
        fields = signing.loads(token, salt=_LINK_SALT, max_age=LINK_SECONDS)
    except signing.BadSignature as wrong:
        raise NoSuchLink from wrong
    user = User.objects.filter(pk=fields["user"], is_active=True).first()
    name = f"spamdesk:device_link:{fields['link']}"
    is_first = limits.ask(lambda store: store.set(name, 1, nx=True, ex=LINK_SECONDS))
    if user is None or not is_first:
        raise NoSuchLink
    with transaction.atomic():
        _audit("user.device_link_used", user, actor=None, at=at)
    return user


def _mark_of(user: User) -> str:
    return salted_hmac(_MARK_SALT, user.password, algorithm="sha256").hexdigest()[:32]
