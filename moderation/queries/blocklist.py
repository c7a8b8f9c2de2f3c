"""The bans that could concern some posts, as scoring wants them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q

from moderation.models import Ban, PostLink, Revision
from moderation.models.bans import BanKind
from scoring import blocklist
from scoring.blocklist import Blocklist


def live(*, at: datetime) -> Q:
    """Return the condition of a ban that holds at an instant."""
    return Q(lifted_at__isnull=True) & (Q(expires_at__isnull=True) | Q(expires_at__gt=at))


def is_live(ban: Ban, *, at: datetime) -> bool:
    """Tell whether a loaded ban holds at an instant."""
    return ban.lifted_at is None and (ban.expires_at is None or ban.expires_at > at)


def for_revisions(*, revisions: Sequence[Revision], at: datetime) -> Blocklist:
    """Load the live bans of what these posts link to and of where they come from; all bans may be many."""
    named = Q(kind__in=(BanKind.DOMAIN, BanKind.HOST), value__in=_names(revisions))
    sent = Q()
    for ip in {revision.ip for revision in revisions if revision.ip}:
        sent |= Q(kind=BanKind.ADDRESS, first_address__lte=ip, last_address__gte=ip)
    found = [
        blocklist.Ban(id=ban.pk, value=ban.value, kind=ban.kind)
        for ban in Ban.objects.filter(named | sent, live(at=at)).order_by("id")
    ]
    return Blocklist(
        bans={ban.value: ban for ban in found if ban.kind != BanKind.ADDRESS},
        addresses=tuple(ban for ban in found if ban.kind == BanKind.ADDRESS),
    )


def _names(revisions: Sequence[Revision]) -> set[str]:
    links = PostLink.objects.filter(revision__in=revisions).order_by().values_list("host", "domain__name")
    return {name for host, domain in links for name in blocklist.names_of(host, domain=domain)}
