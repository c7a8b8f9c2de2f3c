"""The keys that platforms sign in with: issue, recognise, revoke. The secret itself is never stored."""

import hashlib
import hmac
import re
import secrets
import string
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from moderation import prepared
from moderation.models import ApiKey, Platform, User
from moderation.operations.accounts import wrong_keys
from moderation.operations.audit import entries
from moderation.operations.refusals import PlatformDeleted

_audit = entries.writer("api_key", prefix="prefix")

# Small letters and digits, so that a key survives a host name; older keys have capitals, too.
_ALPHABET = string.ascii_lowercase + string.digits
_LOOKUP_LENGTH = 8
_SECRET_LENGTH = 40
_SHAPE = re.compile(
    rf"(sk_[a-z]{{1,12}}_[A-Za-z0-9]{{{_LOOKUP_LENGTH}}})[A-Za-z0-9]{{{_SECRET_LENGTH}}}", re.ASCII
)
_LAST_USED_EVERY = timedelta(minutes=1)
_KEY_COLUMNS = [field.attname for field in ApiKey._meta.concrete_fields]  # noqa: SLF001 - documented
_PLATFORM_COLUMNS = [field.attname for field in Platform._meta.concrete_fields]  # noqa: SLF001 - as above
_SHOWN = [f'k."{name}"' for name in _KEY_COLUMNS] + [f'p."{name}"' for name in _PLATFORM_COLUMNS]
_FIND = (
    f"SELECT {', '.join(_SHOWN)} FROM moderation_apikey k"  # noqa: S608 - names of columns
    " JOIN moderation_platform p ON p.id = k.platform_id WHERE k.prefix = %(prefix)s"
)


class InvalidKey(Exception):
    """No such key."""


class RevokedKey(InvalidKey):
    """The key was revoked. Raised only for the whole secret."""


class ExpiredKey(InvalidKey):
    """The key has expired. Raised only for the whole secret."""


class PlatformOff(Exception):
    """The key's platform is switched off."""


def issue(
    *,
    platform: Platform,
    name: str,
    scopes: Sequence[str],
    expires_at: datetime | None,
    at: datetime,
    actor: User | None = None,
    acts_as: User | None = None,
) -> tuple[ApiKey, str]:
    """Create a key; return it with its secret, `sk_<mode>_<prefix><secret>`, which is never shown again.

    With hyphens for underscores it is a label of a host name, for clients of Akismet that put it there.
    Raises PlatformDeleted.
    """
    if platform.is_deleted:
        raise PlatformDeleted
    prefix = f"sk_{settings.MODE}_{_random(_LOOKUP_LENGTH)}"
    secret = prefix + _random(_SECRET_LENGTH)
    with transaction.atomic():
        key = ApiKey.objects.create(
            platform=platform,
            name=name,
            prefix=prefix,
            digest=_digest(secret),
            scopes=list(scopes),
            acts_as=acts_as,
            created_at=at,
            expires_at=expires_at,
        )
        _audit("key.issued", key, actor=actor, at=at)
    return key, secret


def authenticate(*, secret: str, at: datetime, network: str = "") -> ApiKey:
    """Return the key with its platform, in one query. Raises InvalidKey, its kinds, or PlatformOff.

    Wrong keys are counted by the client's network, if one is given. Past the limit unknown keys from there
    are not looked up: then raises LimitReached.
    """
    secret = _as_issued(secret)
    shape = _SHAPE.fullmatch(secret)
    # A key of a demo or test installation opens no production desk, even if its rows were copied there.
    if shape is None or not secret.startswith(f"sk_{settings.MODE}_"):
        raise InvalidKey("This key is not known.")
    digest = _digest(secret)
    wrong_keys.refuse_if_many(digest=digest, network=network, at=at)
    try:
        key = _valid(_found(shape[1]), digest=digest, at=at)
    except InvalidKey:
        wrong_keys.count(network=network, at=at)
        raise
    wrong_keys.remember_right(digest=digest)
    refuse_off(key.platform)
    note_use(key, at=at)
    return key


def revoke(*, key_id: int, actor: User | None, at: datetime) -> None:
    """Close a key for good; revoking it again changes nothing."""
    with transaction.atomic():
        if ApiKey.objects.filter(pk=key_id, revoked_at__isnull=True).update(revoked_at=at):
            entries.add(action="key.revoked", subject_kind="api_key", subject_id=key_id, actor=actor, at=at)


def refuse_ended(key: ApiKey, *, at: datetime) -> None:
    """Raise RevokedKey or ExpiredKey if the key is no longer valid."""
    if key.revoked_at is not None:
        raise RevokedKey("This key was revoked.")
    if key.expires_at is not None and key.expires_at <= at:
        raise ExpiredKey("This key has expired.")


def refuse_off(platform: Platform) -> None:
    """Raise PlatformOff if the platform is switched off."""
    if platform.off_at is not None:
        raise PlatformOff(f"The platform {platform.slug} is switched off.")


def note_use(key: ApiKey, *, at: datetime) -> None:
    """Write the time of use at most once a minute: a write per request would double the cost of reading."""
    if key.last_used_at is not None and at - key.last_used_at < _LAST_USED_EVERY:
        return
    is_stale = Q(last_used_at__isnull=True) | Q(last_used_at__lte=at - _LAST_USED_EVERY)
    # Conditional: of a thousand requests in the same second one writes, the others match no row.
    ApiKey.objects.filter(is_stale, pk=key.pk).update(last_used_at=at)


def _as_issued(given: str) -> str:
    """Return a key that came as a label of a host name, which knows no capitals, in its usual form."""
    return given.lower().replace("-", "_") if given[:3].lower() == "sk-" else given


def _valid(key: ApiKey | None, *, digest: str, at: datetime) -> ApiKey:
    # The digest is compared even without a row, so that timing does not tell which prefixes exist.
    is_right = hmac.compare_digest(key.digest if key else "0" * 64, digest)
    if key is None or not is_right:
        raise InvalidKey("This key is not known.")
    refuse_ended(key, at=at)
    return key


def _found(prefix: str) -> ApiKey | None:
    """Read key and platform by SQL: every request of the API asks this, and building it took the longest."""
    rows = prepared.rows(_FIND, prefix=prefix)
    if not rows:
        return None
    [row] = rows
    key = ApiKey.from_db(None, _KEY_COLUMNS, row[: len(_KEY_COLUMNS)])
    key.platform = Platform.from_db(None, _PLATFORM_COLUMNS, row[len(_KEY_COLUMNS) :])
    return key


def _digest(secret: str) -> str:
    """Digest a secret of 206 random bits: nothing to guess, so a slow password hash would only cost time."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
