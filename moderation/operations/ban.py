"""Ban domains and lift bans. A live ban decides every later post that links there."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from moderation.models import Domain, DomainBan, User
from moderation.operations import verdict
from scoring.links import registrable_domain


class AlreadyBanned(Exception):
    """A live ban of this domain exists."""


class NotADomain(Exception):
    """The text is not a registrable domain or an address that a link could lead to."""


class NotBanned(Exception):
    """The ban was lifted before."""


def impose(
    *, domain: str, reason: str, actor: User, at: datetime, expires_at: datetime | None = None
) -> DomainBan:
    """Ban a registrable domain; a host name given instead bans the domain it belongs to.

    Raises NotADomain or AlreadyBanned.
    """
    name = registrable_domain(domain.strip().lower())
    if not name:
        raise NotADomain(f"“{domain}” is not a domain under a public suffix.")
    try:
        with transaction.atomic():
            row = Domain.objects.get_or_create(name=name, defaults={"first_seen_at": at})[0]
            _close_expired(row, at=at)
            ban = DomainBan.objects.create(
                domain=row, reason=reason, imposed_by=actor, imposed_at=at, expires_at=expires_at
            )
            verdict.audit(
                action="ban.imposed",
                subject_kind="domain",
                subject_id=row.name,
                actor=actor,
                at=at,
                reason=reason,
            )
    except IntegrityError:
        # The partial unique index is the judge between two leads who press the button at once.
        raise AlreadyBanned(f"{name} is banned already.") from None
    return ban


def lift(*, ban_id: int, actor: User, at: datetime) -> None:
    """Lift a live ban. Raises NotBanned if it was lifted before."""
    with transaction.atomic():
        lifted = DomainBan.objects.filter(pk=ban_id, lifted_at__isnull=True).update(
            lifted_at=at, lifted_by=actor
        )
        if not lifted:
            raise NotBanned("This ban was lifted before.")
        name = DomainBan.objects.values_list("domain__name", flat=True).get(pk=ban_id)
        verdict.audit(action="ban.lifted", subject_kind="domain", subject_id=name, actor=actor, at=at)


def _close_expired(domain: Domain, *, at: datetime) -> None:
    """An expired ban still holds the place of the live one; close it by its own end."""
    for ban in DomainBan.objects.filter(Q(expires_at__lte=at), domain=domain, lifted_at__isnull=True):
        ban.lifted_at = ban.expires_at
        ban.save(update_fields=("lifted_at",))
