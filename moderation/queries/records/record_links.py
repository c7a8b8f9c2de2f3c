"""Links of revisions, their history and where they were seen to lead, strictly before an instant."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from moderation.models import PostLink, Revision
from moderation.models.reputation import ReputationProvider
from moderation.queries.records.record_histories import rows, since
from scoring.links import links_in, registrable_domain
from scoring.records import History, Link, LinkReputation

_LINK_COUNTS = """
SELECT k.link_id,
  (SELECT count(DISTINCT s.post_id) FROM (SELECT post_id FROM (SELECT r.post_id, p.platform_id
     FROM moderation_postlink l
     JOIN moderation_revision r ON r.id = l.revision_id JOIN moderation_post p ON p.id = r.post_id
     WHERE l.url_digest = k.url_digest AND l.received_at < %(at)s AND r.post_id <> k.post_id
     ORDER BY l.received_at DESC LIMIT {scan}) any_platform WHERE {on_platform} LIMIT {sample}) s),
  (SELECT count(DISTINCT s.post_id) FROM (SELECT r.post_id FROM moderation_post p
     JOIN moderation_revision r ON r.post_id = p.id JOIN moderation_postlink l ON l.revision_id = r.id
     WHERE p.author_id = k.author_id AND p.received_at < %(at)s AND p.id <> k.post_id
       AND l.url_digest = k.url_digest AND l.received_at < %(at)s LIMIT {sample}) s),
  threat.value, trust.value, registration.live_since_at
FROM unnest(%(links)s::bigint[], %(digests)s::text[], %(domains)s::text[], %(posts)s::bigint[],
            %(authors)s::bigint[]) AS k(link_id, url_digest, domain, post_id, author_id)
JOIN moderation_post own ON own.id = k.post_id
"""
_VERDICT = """LEFT JOIN LATERAL (SELECT v.value, v.live_since_at FROM moderation_linkverdict v
  WHERE v.subject = k.{subject} AND v.provider = '{provider}'
    AND v.fetched_at < %(at)s AND v.expires_at > %(at)s
  ORDER BY v.fetched_at DESC LIMIT 1) {name} ON true
"""
_LINK_FACTS = _LINK_COUNTS + "".join(
    _VERDICT.format(subject=subject, provider=provider, name=name)
    for name, provider, subject in (
        ("threat", ReputationProvider.WEB_RISK, "url_digest"),
        ("trust", ReputationProvider.TRUST, "domain"),
        ("registration", ReputationProvider.REGISTRATION, "domain"),
    )
)
"""Only the latest verdicts that had not expired count."""
Hops = dict[tuple[int, str], tuple[str, ...]]
"""By revision and digest of the link's URL: the other hosts on the way, in order, without repetition."""


def stored_links(revisions: Sequence[Revision]) -> list[PostLink]:
    """Return the rows of the links of revisions, in the order of the posts."""
    rows_of = PostLink.objects.filter(revision__in=revisions).select_related("domain")
    return list(rows_of.order_by("revision_id", "position"))


def links(
    stored: Sequence[PostLink],
    *,
    revisions: Sequence[Revision],
    domains: Sequence[History],
    hops: Hops,
    at: datetime,
) -> dict[int, tuple[Link, ...]]:
    """Return the links of each revision by its id; one without links is left out.

    `stored` are their rows, `domains` the histories of their domains, `hops` where they were seen to lead.
    """
    if not stored:
        return {}
    by_id = {revision.pk: revision for revision in revisions}
    facts = _facts(stored, by_id=by_id, at=at)
    by_revision: dict[int, list[Link]] = defaultdict(list)
    for row, history in zip(stored, domains, strict=True):
        url_posts, author_posts, reputation = facts[row.pk]
        by_revision[row.revision_id].append(
            Link(
                url=row.url,
                host=row.host,
                domain=registrable_domain(row.host),
                domain_history=since(history, row.domain.first_seen_at, at=at),
                url_posts=url_posts,
                author_posts=author_posts,
                reputation=reputation,
                hops=hops.get((row.revision_id, row.url_digest), ()),
            )
        )
    return {revision_id: tuple(of_revision) for revision_id, of_revision in by_revision.items()}


def _facts(
    stored: Sequence[PostLink], *, by_id: dict[int, Revision], at: datetime
) -> dict[int, tuple[int, int, LinkReputation]]:
    """Return, for each link, the earlier posts with its URL, those of the same author, and what providers
    say of it.
    """
    counted = rows(
        _LINK_FACTS,
        links=[row.pk for row in stored],
        digests=[row.url_digest for row in stored],
        domains=[row.domain.name for row in stored],
        posts=[by_id[row.revision_id].post_id for row in stored],
        authors=[by_id[row.revision_id].post.author_id for row in stored],
        at=at,
    )
    return {
        link_id: (*counts, LinkReputation(threat_score=threat, trust_score=trust, live_since_at=live_since))
        for link_id, *counts, threat, trust, live_since in counted
    }


def passed(chain: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the other hosts of a chain of addresses, in order, without repetition."""
    own, *others = [_host(step["url"]) for step in chain] or [""]
    return tuple(dict.fromkeys(host for host in others if host and host != own))


def _host(url: str) -> str:
    matches = links_in("", extra=[url])
    return matches[0].host if matches else ""
