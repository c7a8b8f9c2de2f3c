"""Domains for the desk: posts that link to them, outcomes and rules."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef

from moderation.models import Domain, PostLink, Rule
from moderation.models.rules import RuleEffect, RuleKind
from moderation.queries import full_text, keyset, outcome_counts
from moderation.queries.entities import domain_counts, timeline
from moderation.queries.entities.domain_counts import DomainCounts
from moderation.queries.entities.timeline import Timeline
from moderation.queries.keyset import Page
from moderation.queries.outcome_counts import Figures
from moderation.queries.rules import rule_pages, targets
from moderation.queries.rules.targets import Target

RECENT = timedelta(days=7)
SAMPLE = domain_counts.SAMPLE
FEWEST_OF_A_BAR = 20
"""With fewer judged posts no share is drawn: a single one would look like all of them."""
_LIMIT = 60
_TOP = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainHistory:
    """A domain in a list: its counts, and the rule about it now."""

    name: str
    first_seen_at: datetime
    counts: DomainCounts
    rule: Rule | None

    @property
    def decided(self) -> int:
        """Number of posts that a human has judged."""
        return self.counts.spam + self.counts.not_spam

    @property
    def has_share(self) -> bool:
        """Whether enough posts were judged for a share to be drawn."""
        return self.decided >= FEWEST_OF_A_BAR

    @property
    def spam_width(self) -> int:
        """Share of spam among the judged ones, in per cent."""
        return round(self.counts.spam * 100 / self.decided) if self.decided else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenHost:
    """A host of a domain, with how many posts link to it."""

    host: str
    posts: int


@dataclass(frozen=True, kw_only=True)
class DomainFacts:
    """Everything that a domain's page shows. `live_rule` is the rule about the whole domain."""

    target: Target
    first_seen_at: datetime
    figures: Figures
    timeline: Timeline
    hosts: tuple[SeenHost, ...]
    rules: tuple[Rule, ...]
    live_rule: Rule | None


def page(
    *, text: str = "", which: str = "", cursor: str = "", at: datetime, limit: int = _LIMIT
) -> Page[DomainHistory]:
    """Return the most posted domains of seven days, or by name those that match, are banned, or all.

    Raises InvalidCursor.
    """
    if not (text or which):
        histories = _histories(_most_posted(at=at, limit=limit), at=at)
        return Page(tuple(sorted(histories, key=lambda row: (-row.counts.recent, row.name))), None)
    domains = full_text.domains(text) if text else Domain.objects.all()
    if which == "banned":
        bans = Rule.objects.filter(rule_pages.live(at=at), effect=RuleEffect.BAN, domain=OuterRef("pk"))
        domains = domains.filter(Exists(bans))
    page = keyset.page(
        domains.values("pk", "name"), order=("name",), after=keyset.after(cursor, str), limit=limit
    )
    histories = _histories([row["pk"] for row in page.rows], at=at)
    return Page(tuple(sorted(histories, key=lambda row: row.name)), page.end)


def facts(*, name: str, at: datetime) -> DomainFacts:
    """Read a domain's page. Raises Domain.DoesNotExist."""
    domain = Domain.objects.get(name=name.lower())
    target = Target(kind=RuleKind.DOMAIN, value=domain.name, label=domain.name, domain=domain.name)
    revisions = targets.reached(target)
    every = rule_pages.of_domain(name=domain.name)
    hosts = PostLink.objects.filter(domain=domain).order_by().values("host")
    counted = hosts.annotate(posts=Count("revision__post", distinct=True)).order_by("-posts", "host")
    return DomainFacts(
        target=target,
        first_seen_at=domain.first_seen_at,
        figures=outcome_counts.of(revisions, at=at),
        timeline=timeline.of(revisions),
        hosts=tuple(SeenHost(host=row["host"], posts=row["posts"]) for row in counted[:_TOP]),
        rules=tuple(every),
        live_rule=rule_pages.first_live((rule for rule in every if rule.kind == RuleKind.DOMAIN), at=at),
    )


def _most_posted(*, at: datetime, limit: int) -> list[int]:
    """Return the domains with most links of seven days; posts are counted of those that are shown."""
    recent = PostLink.objects.filter(received_at__gt=at - RECENT).order_by().values("domain")
    counted = recent.annotate(links=Count("pk")).order_by("-links", "domain")
    return list(counted.values_list("domain", flat=True)[:limit])


def _histories(ids: list[int], *, at: datetime) -> list[DomainHistory]:
    """Three queries for any number of domains: names, counts and live rules."""
    live = rule_pages.live_by_domain(ids, at=at)
    counts = domain_counts.of(ids, since=at - RECENT)
    return [
        DomainHistory(
            name=row.name, first_seen_at=row.first_seen_at, counts=counts[row.pk], rule=live.get(row.pk)
        )
        for row in Domain.objects.filter(pk__in=ids)
    ]
