"""What a key does in Akismet's calls, and its aliases: keys in the form that Akismet's own have.

An alias has 48 bits, which could be guessed: it serves one site alone, few calls a minute, and wrong ones
count like wrong keys.
"""

import secrets
from datetime import datetime

from django.db import transaction
from django.utils.crypto import salted_hmac

from moderation.models import AkismetAlias, ApiKey, User
from moderation.operations.accounts import api_keys, wrong_keys
from moderation.operations.audit import entries
from moderation.operations.infrastructure import limits
from moderation.operations.infrastructure.limits import Bucket

_audit = entries.writer("api_key", subject_id="key_id", alias="pk", site="site")
_audit_key = entries.writer("api_key", prefix="prefix")
_CALLS = Bucket(name="alias calls", per_minute=300, burst=300)


def configure(
    *, key: ApiKey, pending_hours: int | None, decides_as: User | None, actor: User, at: datetime
) -> None:
    """Set how long checks answer pending, and in whose name submissions decide; None: they do neither."""
    chosen: dict[str, object] = {"pending_hours": pending_hours, "submissions_decide": decides_as is not None}
    if decides_as is not None:
        chosen["acts_as_id"] = decides_as.pk
    with transaction.atomic():
        row = ApiKey.objects.select_for_update().get(pk=key.pk)
        if before := entries.replaced(row, chosen):
            row.save(update_fields=before)
            after = {name: chosen[name] for name in before}
            _audit_key("key.changed", row, actor=actor, at=at, **after, before=before)


def issue(*, key: ApiKey, site: str, actor: User, at: datetime) -> str:
    """Return a new alias of a key for the site of this host name; it is never shown again."""
    alias = secrets.token_hex(6)
    with transaction.atomic():
        row = AkismetAlias.objects.create(key=key, site=site.lower(), digest=_digest(alias), created_at=at)
        _audit("alias.issued", row, actor=actor, at=at)
    return alias


def revoke(*, alias_id: int, actor: User, at: datetime) -> None:
    """Close an alias for good; revoking it again changes nothing."""
    with transaction.atomic():
        row = AkismetAlias.objects.select_for_update().get(pk=alias_id)
        if row.revoked_at is None:
            row.revoked_at = at
            row.save(update_fields=("revoked_at",))
            _audit("alias.revoked", row, actor=actor, at=at)


def authenticate(*, alias: str, site: str, at: datetime, network: str) -> ApiKey:
    """Return the key that an alias stands for on this site.

    Raises InvalidKey, its kinds, PlatformOff or LimitReached.
    """
    digest = _digest(alias)
    wrong_keys.refuse_if_many(digest=digest, network=network, at=at)
    rows = AkismetAlias.objects.filter(digest=digest, site=site.lower(), revoked_at__isnull=True)
    row = rows.select_related("key__platform", "key__acts_as").first()
    if row is None:
        wrong_keys.count(network=network, at=at)
        raise api_keys.InvalidKey("This key is not known for this site.")
    api_keys.refuse_ended(row.key, at=at)
    wrong_keys.remember_right(digest=digest)
    api_keys.refuse_off(row.key.platform)
    limits.take(bucket=_CALLS, owner=str(row.pk), at=at)
    api_keys.note_use(row.key, at=at)
    return row.key


def _digest(alias: str) -> str:
    return salted_hmac("akismet alias", alias, algorithm="sha256").hexdigest()
