"""IP addresses and ranges that posts were sent from: posts, authors, outcomes and rules."""

import ipaddress
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count, Max, QuerySet

from moderation.models import Revision, Rule, User
from moderation.models.rules import RuleKind
from moderation.queries import outcome_counts
from moderation.queries.entities import timeline
from moderation.queries.entities.timeline import Timeline
from moderation.queries.outcome_counts import Figures
from moderation.queries.rules import rule_pages, targets
from moderation.queries.rules.targets import Target

_TOP = 12


@dataclass(frozen=True, kw_only=True)
class AddressFacts:
    """Everything that an address's page shows, `target.value` and all others as the viewer may read them.

    `network` is the range around a single address, "" for a range. Each of its addresses comes with the
    number of posts.
    """

    target: Target
    network: str
    figures: Figures
    timeline: Timeline
    addresses: tuple[tuple[str, int], ...]
    rules: tuple[Rule, ...]
    live_rule: Rule | None


def facts(*, address: str, viewer: User, at: datetime) -> AddressFacts:
    """Read the page of an address or range. Raises targets.NotATarget if the text is neither."""
    target = targets.target(kind=RuleKind.ADDRESS, value=address)
    revisions = targets.reached(target)
    covering = rule_pages.of_address(wanted=target)
    return AddressFacts(
        target=replace(target, value=viewer.address_shown(target.value)),
        network=viewer.address_shown(_network(target)),
        figures=outcome_counts.of(revisions, at=at, viewer=viewer),
        timeline=timeline.of(revisions),
        addresses=used(revisions, viewer=viewer, most=_TOP),
        rules=tuple(covering),
        live_rule=rule_pages.first_live(covering, at=at),
    )


def _network(target: Target) -> str:
    """Return the /24 or /48 around a single address: what one customer of a provider commonly holds."""
    if target.first_address != target.last_address or target.first_address is None:
        return ""
    prefix = 24 if ipaddress.ip_address(target.first_address).version == 4 else 48
    return str(ipaddress.ip_network((target.first_address, prefix), strict=False))


def used(revisions: QuerySet[Revision], *, viewer: User, most: int) -> tuple[tuple[str, int], ...]:
    """Return the addresses that posts came from as a viewer may read them, each with the number of posts."""
    sent = revisions.filter(ip__isnull=False).order_by().values_list("ip")
    counted = sent.annotate(posts=Count("pk"), newest=Max("pk")).order_by("-posts", "-newest")[:most]
    return tuple((viewer.address_shown(ip), posts) for ip, posts, _newest in counted)
