"""What a ban is about, what it reaches, and what it would have done before anybody presses the button."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from moderation.models import Ban, Label, PostLink, Revision
from moderation.models.bans import BanKind
from moderation.queries import figures
from moderation.queries.blocklist import live
from moderation.queries.figures import RECENT as RECENT  # noqa: PLC0414 - the window of a ban's requeue, too
from moderation.queries.figures import Figures
from scoring.links import links_in, registrable_domain

_EXAMPLES = 5
# A wider range holds whole providers: banning one is a slip of the keyboard more often than a wish.
_WIDEST = {4: 16, 6: 32}


class NotBannable(Exception):
    """The text is not a domain, host, address or range that a ban can name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a ban names, in its canonical form; `domain` for links, the two addresses for senders."""

    kind: BanKind
    value: str
    domain: str = ""
    first_address: str | None = None
    last_address: str | None = None


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a ban would have hit until now, with some of the posts that people found harmless."""

    target: Target
    figures: Figures
    mistakes: tuple[Revision, ...]


def target(*, kind: str, value: str) -> Target:
    """Read what somebody typed. Raises NotBannable with words for them."""
    wanted = value.strip().lower()
    if kind == BanKind.ADDRESS:
        return _address(wanted)
    return _host(wanted) if kind == BanKind.HOST else _domain(wanted)


def target_of(ban: Ban) -> Target:
    """Return what an existing ban names."""
    return Target(
        kind=BanKind(ban.kind),
        value=ban.value,
        domain=ban.domain.name if ban.domain else "",
        first_address=ban.first_address,
        last_address=ban.last_address,
    )


def reached(wanted: Target) -> QuerySet[Revision]:
    """Return the latest revisions of the posts that a ban of this target reaches."""
    latest = Revision.objects.filter(number=F("post__latest_revision"))
    if wanted.kind == BanKind.ADDRESS:
        return latest.filter(ip__gte=wanted.first_address, ip__lte=wanted.last_address)
    links = PostLink.objects.filter(domain__name=wanted.domain)
    if wanted.kind == BanKind.HOST:
        links = links.filter(Q(host=wanted.value) | Q(host__endswith=f".{wanted.value}"))
    return latest.filter(pk__in=links.values("revision"))


def effect(*, wanted: Target, at: datetime) -> Effect:
    """Count what a ban would have hit, in two queries at most."""
    revisions = reached(wanted)
    counted = figures.of(revisions, at=at)
    return Effect(target=wanted, figures=counted, mistakes=_mistakes(revisions) if counted.not_spam else ())


def listed(*, kind: str = "", is_live: bool = True, at: datetime, limit: int = 200) -> list[Ban]:
    """Return bans, the newest first: those in force, or those that ended."""
    bans = Ban.objects.filter(live(at=at)) if is_live else Ban.objects.exclude(live(at=at))
    if kind in BanKind.values:
        bans = bans.filter(kind=kind)
    return list(bans.select_related("imposed_by", "lifted_by", "domain")[:limit])


def of_domain(*, name: str) -> list[Ban]:
    """Return every ban of a domain or of a host in it, the newest first."""
    bans = Ban.objects.filter(domain__name=name.lower())
    return list(bans.select_related("imposed_by", "lifted_by", "domain"))


def of_address(*, wanted: Target) -> list[Ban]:
    """Return every ban that covers an address or a whole range, the newest first."""
    bans = Ban.objects.filter(
        kind=BanKind.ADDRESS, first_address__lte=wanted.first_address, last_address__gte=wanted.last_address
    )
    return list(bans.select_related("imposed_by", "lifted_by", "domain"))


def _mistakes(revisions: QuerySet[Revision]) -> tuple[Revision, ...]:
    harmless = Label.objects.filter(post=OuterRef("post"), retracted_at__isnull=True, is_spam=False)
    found = revisions.filter(Exists(harmless)).select_related("post__author").defer("journey", "links")
    return tuple(found.order_by("-post_id")[:_EXAMPLES])


def _domain(text: str) -> Target:
    name = registrable_domain(text) or _host_of(text)
    if not name or (registrable_domain(name) or name) != name or not _is_known(name):
        raise NotBannable(_("“%(text)s” is not a domain under a public suffix.") % {"text": text})
    return Target(kind=BanKind.DOMAIN, value=name, domain=name)


def _is_known(name: str) -> bool:
    """Tell whether a link could lead to this name: a registrable domain, or an address used as a host."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return bool(registrable_domain(name))
    return True


def _host(text: str) -> Target:
    host = _host_of(text)
    domain = registrable_domain(host) if host else ""
    if not domain:
        raise NotBannable(_("“%(text)s” is not a host under a public suffix.") % {"text": text})
    kind = BanKind.DOMAIN if host == domain else BanKind.HOST
    return Target(kind=kind, value=host, domain=domain)


def _host_of(text: str) -> str:
    found = links_in(f"http://{text}/") if text and not any(letter.isspace() for letter in text) else ()
    return found[0].host if found else ""


def _address(text: str) -> Target:
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise NotBannable(
            _("“%(text)s” is neither an address nor a range such as 203.0.113.0/24.") % {"text": text}
        ) from None
    if network.prefixlen < _WIDEST[network.version]:
        raise NotBannable(
            _("A range wider than /%(bits)d holds whole providers; ban parts of it.")
            % {"bits": _WIDEST[network.version]}
        )
    is_single = network.num_addresses == 1
    return Target(
        kind=BanKind.ADDRESS,
        value=str(network.network_address) if is_single else str(network),
        first_address=str(network[0]),
        last_address=str(network[-1]),
    )


def posts_removed_by(ban: Ban) -> QuerySet[Revision]:
    """Return the latest revisions whose standing verdict is this ban's and nobody's else."""
    latest = Revision.objects.filter(number=F("post__latest_revision"), scores__ban=ban)
    judged = Label.objects.filter(post=OuterRef("post"), retracted_at__isnull=True)
    return latest.exclude(Exists(judged)).distinct()
