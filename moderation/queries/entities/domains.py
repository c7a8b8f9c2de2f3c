"""Domains for the desk: posts that link to them, what became of the latest, and rules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, OuterRef

from moderation.models import Case, Domain, PostLink, Rule, User
from moderation.models.cases import BLIND_REASONS, CaseState
from moderation.models.rules import RuleEffect, RuleKind
from moderation.queries import case_access, full_text, keyset, outcome_counts
from moderation.queries.entities import timeline
from moderation.queries.entities.timeline import Timeline
from moderation.queries.keyset import Page
from moderation.queries.outcome_counts import Figures
from moderation.queries.rules import rule_pages, targets
from moderation.queries.rules.targets import Target

RECENT = timedelta(days=7)
SAMPLE = 200
"""The latest links of a domain that are looked at: a domain may stand in a third of all posts (ADR 5)."""
FEWEST_OF_A_BAR = 20
"""With fewer judged posts no share is drawn: a single one would look like all of them."""
_LIMIT = 60
_TOP = 12


@dataclass(frozen=True, slots=True)
class DomainCounts:
    """Counts of posts: `recent` of all since an instant, the others of the latest SAMPLE links.

    `is_sample` tells that there may be earlier links, so that each of the others is a lower bound.
    """

    recent: int
    is_sample: bool
    posts: int
    authors: int
    spam: int
    not_spam: int
    complaints: int
    waiting: int
    removed: int


# Lateral, so that each domain walks its own index backwards and stops; joined as a whole, sixty domains of
# 2,500 links each read 150,000 rows of four tables.
_COUNTS = """
SELECT k.id, recent.posts, latest.*
FROM unnest(%(ids)s::bigint[]) AS k(id)
CROSS JOIN LATERAL (
  SELECT count(DISTINCT r.post_id) AS posts
  FROM moderation_postlink l JOIN moderation_revision r ON r.id = l.revision_id
  WHERE l.domain_id = k.id AND l.received_at > %(since)s) recent
CROSS JOIN LATERAL (
  SELECT coalesce(sum(s.links), 0) >= %(sample)s, count(*), count(DISTINCT p.author_id),
         count(*) FILTER (WHERE label.is_spam), count(*) FILTER (WHERE NOT label.is_spam),
         coalesce(sum(told.complaints), 0)::bigint,
         count(*) FILTER (WHERE waits.id IS NOT NULL AND NOT waits.id = ANY(%(kept)s)),
         count(*) FILTER (WHERE said.source = 'automatic' AND said.verdict = 'spam')
  FROM (SELECT r.post_id, count(*) AS links
        FROM (SELECT l.revision_id FROM moderation_postlink l
              WHERE l.domain_id = k.id ORDER BY l.received_at DESC LIMIT %(sample)s) newest
        JOIN moderation_revision r ON r.id = newest.revision_id
        GROUP BY r.post_id) s
  JOIN moderation_post p ON p.id = s.post_id
  LEFT JOIN moderation_label label ON label.post_id = s.post_id AND label.retracted_at IS NULL
  LEFT JOIN moderation_case waits ON waits.post_id = s.post_id AND waits.state = 'open'
  LEFT JOIN LATERAL (SELECT count(*) AS complaints FROM moderation_complaint c
                     WHERE c.post_id = s.post_id) told ON true
  LEFT JOIN LATERAL (SELECT d.source, d.verdict FROM moderation_decision d
                     WHERE d.post_id = s.post_id
                       AND NOT EXISTS (SELECT FROM moderation_reversal b WHERE b.decision_id = d.id)
                     ORDER BY d.decided_at DESC, d.id DESC LIMIT 1) said
    ON label.post_id IS NULL AND NOT coalesce(waits.reason = ANY(%(blind)s), false)) latest
"""


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


@dataclass(frozen=True, kw_only=True)
class DomainFacts:
    """Everything that a domain's page shows. `live_rule` is the rule about the whole domain.

    Each of its hosts comes with the number of posts that link to it.
    """

    target: Target
    first_seen_at: datetime
    figures: Figures
    timeline: Timeline
    hosts: tuple[tuple[str, int], ...]
    rules: tuple[Rule, ...]
    live_rule: Rule | None


def page(
    *, viewer: User, text: str = "", which: str = "", cursor: str = "", at: datetime, limit: int = _LIMIT
) -> Page[DomainHistory]:
    """Return the most posted domains of seven days, or by name those that match, are banned, or all.

    Raises InvalidCursor.
    """
    if not (text or which):
        histories = _histories(_most_posted(at=at, limit=limit), viewer, at=at)
        return Page(tuple(sorted(histories, key=lambda row: (-row.counts.recent, row.name))), None)
    domains = full_text.domains(text) if text else Domain.objects.all()
    if which == "banned":
        bans = Rule.objects.filter(rule_pages.live(at=at), effect=RuleEffect.BAN, domain=OuterRef("pk"))
        domains = domains.filter(Exists(bans))
    page = keyset.page(
        domains.values("pk", "name"), order=("name",), after=keyset.after(cursor, str), limit=limit
    )
    histories = _histories([row["pk"] for row in page.rows], viewer, at=at)
    return Page(tuple(sorted(histories, key=lambda row: row.name)), page.end)


def facts(*, name: str, viewer: User, at: datetime) -> DomainFacts:
    """Read a domain's page. Raises Domain.DoesNotExist."""
    domain = Domain.objects.get(name=name.lower())
    target = Target(kind=RuleKind.DOMAIN, value=domain.name, label=domain.name, domain=domain.name)
    revisions = targets.reached(target)
    every = rule_pages.of_domain(name=domain.name)
    hosts = PostLink.objects.filter(domain=domain).order_by().values_list("host")
    counted = hosts.annotate(posts=Count("revision__post", distinct=True)).order_by("-posts", "host")
    return DomainFacts(
        target=target,
        first_seen_at=domain.first_seen_at,
        figures=outcome_counts.of(revisions, at=at, viewer=viewer),
        timeline=timeline.of(revisions),
        hosts=tuple(counted[:_TOP]),
        rules=tuple(every),
        live_rule=rule_pages.first_live((rule for rule in every if rule.kind == RuleKind.DOMAIN), at=at),
    )


def _most_posted(*, at: datetime, limit: int) -> list[int]:
    """Return the domains with most links of seven days; posts are counted of those that are shown."""
    recent = PostLink.objects.filter(received_at__gt=at - RECENT).order_by().values("domain")
    counted = recent.annotate(links=Count("pk")).order_by("-links", "domain")
    return list(counted.values_list("domain", flat=True)[:limit])


def _histories(ids: list[int], viewer: User, *, at: datetime) -> list[DomainHistory]:
    """Three queries for any number of domains: names, counts and live rules; another if any case is kept."""
    live = rule_pages.live_by_domain(ids, at=at)
    linked = Case.objects.filter(state=CaseState.OPEN, post__revisions__post_links__domain__in=ids)
    kept = linked.filter(case_access.elsewhere(viewer)).distinct().order_by().values_list("pk", flat=True)
    counts = _counts(ids, since=at - RECENT, kept=list(kept))
    return [
        DomainHistory(
            name=row.name, first_seen_at=row.first_seen_at, counts=counts[row.pk], rule=live.get(row.pk)
        )
        for row in Domain.objects.filter(pk__in=ids)
    ]


def _counts(ids: Sequence[int], *, since: datetime, kept: list[int]) -> dict[int, DomainCounts]:
    with connection.cursor() as cursor:
        blind = sorted(BLIND_REASONS)
        cursor.execute(
            _COUNTS, {"ids": list(ids), "since": since, "sample": SAMPLE, "blind": blind, "kept": kept}
        )
        return {pk: _counted(row) for pk, *row in cursor.fetchall()}


def _counted(row: Sequence[Any]) -> DomainCounts:
    """Read a row of _COUNTS, in the order of the fields; the latest links may hold less than seven days."""
    counts = DomainCounts(*row)
    return replace(counts, posts=max(counts.posts, counts.recent))
