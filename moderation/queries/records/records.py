"""Rows → PostRecord as of an instant. Everything counts strictly before `at`, to prevent leakage.

Histories are read in record_histories.py, links in record_links.py, what was collected in record_evidence.py.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from moderation.models import PostLink, Revision
from moderation.queries.records.record_evidence import captions, collected
from moderation.queries.records.record_histories import histories, rows, since
from moderation.queries.records.record_links import links, stored_links
from scoring.records import AuthorSnapshot, ComplaintRecord, JourneyStep, PostRecord
from scoring.resemblance import author_bands, note_digest

_COMPLAINTS = """
SELECT k.post_id, c.reason, c.reported_at, t.confirmed, t.rejected, a.first_seen_at, c.note
FROM unnest(%(posts)s::bigint[]) AS k(post_id)
CROSS JOIN LATERAL (
  SELECT x.reporter_id, x.reason, x.note, x.reported_at, x.received_at, x.id FROM moderation_complaint x
  WHERE x.post_id = k.post_id AND x.received_at < %(at)s ORDER BY x.received_at, x.id LIMIT {sample}
) c
JOIN moderation_author a ON a.id = c.reporter_id
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE l.is_spam) AS confirmed, count(*) FILTER (WHERE NOT l.is_spam) AS rejected
  FROM (SELECT y.post_id FROM moderation_complaint y
        WHERE y.reporter_id = c.reporter_id AND y.received_at < %(at)s AND y.post_id <> k.post_id
        ORDER BY y.received_at DESC LIMIT {sample}) earlier
  JOIN moderation_label l ON l.post_id = earlier.post_id AND l.labelled_at < %(at)s
       AND (l.retracted_at IS NULL OR l.retracted_at >= %(at)s)
) t
ORDER BY k.post_id, c.received_at, c.id
"""
_KINDS = ("author", "ip", "network", "asn", "mail", "resembling", "similar")


def record_at(*, revision: Revision, at: datetime) -> PostRecord:
    """Return the frozen picture of one revision and its history strictly before `at`."""
    return records_at(revisions=[revision], at=at)[0]


def records_at(*, revisions: Sequence[Revision], at: datetime) -> list[PostRecord]:
    """Return one record per revision, in order, in a number of queries that does not depend on how many.

    The revisions come with `post`, `post__platform` and `post__author` selected.
    """
    linked = stored_links(revisions)
    keys = [(keys_of(revision), revision.post_id) for revision in revisions]
    post_of = {revision.pk: revision.post_id for revision in revisions}
    wanted = {kind: [(of_revision[kind], post) for of_revision, post in keys] for kind in _KINDS}
    wanted["domain"] = [(str(row.domain_id), post_of[row.revision_id]) for row in linked]
    wanted["copy"] = [(revision.text_digest, revision.post_id) for revision in revisions]
    by_kind = histories(wanted, at=at)
    evidence = collected(revisions=_carrying(revisions, linked=linked), at=at)
    links_of = links(linked, revisions=revisions, domains=by_kind["domain"], hops=evidence.hops, at=at)
    complaints = _complaints(revisions=revisions, at=at)
    return [
        PostRecord(
            platform=revision.post.platform.slug,
            external_id=revision.post.external_id,
            revision=revision.number,
            at=at,
            posted_at=revision.post.posted_at,
            text=revision.text,
            language=revision.language,
            author=_author(revision.author_snapshot),
            author_history=since(by_kind["author"][index], revision.post.author.first_seen_at, at=at),
            same_text_by_author=by_kind["copy"][index].posts,
            ip=revision.ip,
            ip_history=by_kind["ip"][index],
            ip_network_history=by_kind["network"][index],
            ip_asn=revision.ip_asn,
            ip_asn_history=by_kind["asn"][index],
            email_domain_history=by_kind["mail"][index],
            resembling=by_kind["resembling"][index],
            links=links_of.get(revision.pk, ()),
            journey=tuple(
                JourneyStep(name=name, at_ms=at_ms) for name, at_ms in json.loads(revision.journey)
            ),
            complaints=complaints.get(revision.post_id, ()),
            similar=by_kind["similar"][index],
            shares=revision.shares,
            comments=revision.comments,
            evidence=(*evidence.pieces.get(revision.pk, ()), *captions(revision)),
            is_account=revision.post.is_account,
        )
        for index, revision in enumerate(revisions)
    ]


def keys_of(revision: Revision) -> dict[str, str | None]:
    """Return the lookup key of each history of a revision, None if the platform sent no such value."""
    return {
        "author": str(revision.post.author_id),
        "ip": revision.ip,
        "network": revision.ip_network or None,
        "asn": None if revision.ip_asn is None else str(revision.ip_asn),
        "mail": revision.author_snapshot.get("email_domain") or None,
        "resembling": ",".join(map(str, bands_of(revision))) or None,
        "similar": str(revision.similarity_group),
    }


def bands_of(revision: Revision) -> tuple[int, ...]:
    """Return the similarity bands of a revision's author."""
    return author_bands(
        _author(revision.author_snapshot), ip_network=revision.ip_network, user_agent=revision.user_agent
    )


def _carrying(revisions: Sequence[Revision], *, linked: Sequence[PostLink]) -> list[Revision]:
    """Return the revisions that carry an address: of others nothing is collected."""
    with_links = {link.revision_id for link in linked}
    return [revision for revision in revisions if revision.media_urls or revision.pk in with_links]


def _author(snapshot: Mapping[str, Any]) -> AuthorSnapshot:
    created_at = snapshot.get("created_at")
    return AuthorSnapshot(
        **(dict(snapshot) | {"created_at": datetime.fromisoformat(created_at) if created_at else None})
    )


def _complaints(*, revisions: Sequence[Revision], at: datetime) -> dict[int, tuple[ComplaintRecord, ...]]:
    complaints: dict[int, list[ComplaintRecord]] = defaultdict(list)
    for post_id, reason, reported_at, confirmed, rejected, seen_at, note in rows(
        _COMPLAINTS, posts=sorted({revision.post_id for revision in revisions}), at=at
    ):
        complaints[post_id].append(
            ComplaintRecord(
                reason=reason,
                reported_at=reported_at,
                reporter_confirmed=confirmed,
                reporter_rejected=rejected,
                reporter_seen_at=seen_at,
                note=note_digest(note),
            )
        )
    return {post_id: tuple(of_post) for post_id, of_post in complaints.items()}
