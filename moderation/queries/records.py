"""Rows → PostRecord as of an instant. Everything counts strictly before `at`: nothing later may leak in.

A history looks at the most recent posts only (SAMPLE), so that its cost stays flat however much is stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from moderation.models import PostLink, Revision
from scoring.links import registrable_domain
from scoring.records import (
    AuthorSnapshot,
    ComplaintRecord,
    History,
    JourneyStep,
    Link,
    PostRecord,
)

SAMPLE = 200
"""Most recent posts that a history counts; also the most complaints and earlier reports of a record."""

_SOURCES = {
    "author": "SELECT p.id AS post_id, p.author_id, p.received_at FROM moderation_post p"
    " WHERE p.author_id = k.key::bigint AND p.received_at < %(at)s AND p.id <> k.post_id"
    " ORDER BY p.received_at DESC",
    "ip": "SELECT r.post_id, p.author_id, r.received_at FROM moderation_revision r"
    " JOIN moderation_post p ON p.id = r.post_id"
    " WHERE r.ip = k.key::inet AND r.received_at < %(at)s AND r.post_id <> k.post_id"
    " ORDER BY r.received_at DESC",
    "network": "SELECT r.post_id, p.author_id, r.received_at FROM moderation_revision r"
    " JOIN moderation_post p ON p.id = r.post_id"
    " WHERE r.ip_network = k.key AND r.received_at < %(at)s AND r.post_id <> k.post_id"
    " ORDER BY r.received_at DESC",
    "similar": "SELECT r.post_id, p.author_id, r.received_at FROM moderation_revision r"
    " JOIN moderation_post p ON p.id = r.post_id"
    " WHERE r.similarity_group = k.key::uuid AND r.received_at < %(at)s AND r.post_id <> k.post_id"
    " ORDER BY r.received_at DESC",
    "domain": "SELECT r.post_id, p.author_id, l.received_at FROM moderation_postlink l"
    " JOIN moderation_revision r ON r.id = l.revision_id JOIN moderation_post p ON p.id = r.post_id"
    " WHERE l.domain_id = k.key::bigint AND l.received_at < %(at)s AND r.post_id <> k.post_id"
    " ORDER BY l.received_at DESC",
}

_HISTORY = """
SELECT h.* FROM unnest(%(keys)s::text[], %(posts)s::bigint[]) WITH ORDINALITY AS k(key, post_id, position)
CROSS JOIN LATERAL (
  SELECT count(*), count(*) FILTER (WHERE s.received_at >= %(at)s - interval '24 hours'),
         count(*) FILTER (WHERE l.is_spam), count(*) FILTER (WHERE NOT l.is_spam),
         coalesce(sum(c.complaints), 0)::bigint, count(DISTINCT s.author_id), min(s.received_at)
  FROM (SELECT post_id, author_id, max(received_at) AS received_at
        FROM ({source} LIMIT {sample}) recent GROUP BY post_id, author_id) s
  LEFT JOIN moderation_label l ON l.post_id = s.post_id AND l.labelled_at < %(at)s
        AND (l.retracted_at IS NULL OR l.retracted_at >= %(at)s)
  LEFT JOIN LATERAL (SELECT count(*) AS complaints FROM moderation_complaint x
                     WHERE x.post_id = s.post_id AND x.received_at < %(at)s) c ON true
) h
ORDER BY k.position
"""

_LINK_COUNTS = """
SELECT k.link_id,
  (SELECT count(DISTINCT s.post_id) FROM (SELECT r.post_id FROM moderation_postlink l
     JOIN moderation_revision r ON r.id = l.revision_id
     WHERE l.url_digest = k.url_digest AND l.received_at < %(at)s AND r.post_id <> k.post_id
     ORDER BY l.received_at DESC LIMIT {sample}) s),
  (SELECT count(DISTINCT s.post_id) FROM (SELECT r.post_id FROM moderation_post p
     JOIN moderation_revision r ON r.post_id = p.id JOIN moderation_postlink l ON l.revision_id = r.id
     WHERE p.author_id = k.author_id AND p.received_at < %(at)s AND p.id <> k.post_id
       AND l.url_digest = k.url_digest AND l.received_at < %(at)s LIMIT {sample}) s)
FROM unnest(%(links)s::bigint[], %(digests)s::text[], %(posts)s::bigint[], %(authors)s::bigint[])
  AS k(link_id, url_digest, post_id, author_id)
"""

_SAME_TEXT = """
SELECT count(s.post_id) FROM unnest(%(digests)s::text[], %(posts)s::bigint[], %(authors)s::bigint[])
  WITH ORDINALITY AS k(text_digest, post_id, author_id, position)
LEFT JOIN LATERAL (
  SELECT DISTINCT r.post_id FROM moderation_post p JOIN moderation_revision r ON r.post_id = p.id
  WHERE p.author_id = k.author_id AND p.id <> k.post_id AND p.received_at < %(at)s
    AND r.text_digest = k.text_digest AND r.received_at < %(at)s LIMIT {sample}
) s ON true
GROUP BY k.position ORDER BY k.position
"""

_COMPLAINTS = """
SELECT k.post_id, c.reason, c.reported_at, t.confirmed, t.rejected
FROM unnest(%(posts)s::bigint[]) AS k(post_id)
CROSS JOIN LATERAL (
  SELECT x.reporter_id, x.reason, x.reported_at, x.received_at, x.id FROM moderation_complaint x
  WHERE x.post_id = k.post_id AND x.received_at < %(at)s ORDER BY x.received_at, x.id LIMIT {sample}
) c
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


def record_at(*, revision: Revision, at: datetime) -> PostRecord:
    """Return the frozen picture of one revision and its history strictly before `at`."""
    return records_at(revisions=[revision], at=at)[0]


def records_at(*, revisions: Sequence[Revision], at: datetime) -> list[PostRecord]:
    """Return one record per revision, in order, in a number of queries that does not depend on how many.

    The revisions come with `post`, `post__platform` and `post__author` selected.
    """
    keys: dict[str, Sequence[str | None]] = {
        "author": [str(revision.post.author_id) for revision in revisions],
        "ip": [revision.ip for revision in revisions],
        "network": [revision.ip_network or None for revision in revisions],
        "similar": [str(revision.similarity_group) for revision in revisions],
    }
    posts = [revision.post_id for revision in revisions]
    histories = {kind: _histories(kind, keys=keys[kind], posts=posts, at=at) for kind in keys}
    links = _links(revisions=revisions, at=at)
    same_texts = _same_texts(revisions=revisions, at=at)
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
            author_history=_since(histories["author"][index], revision.post.author.first_seen_at, at=at),
            same_text_by_author=same_texts[index],
            ip=revision.ip,
            ip_history=histories["ip"][index],
            ip_network_history=histories["network"][index],
            links=links.get(revision.pk, ()),
            journey=tuple(JourneyStep(name=name, at_ms=at_ms) for name, at_ms in revision.journey),
            complaints=complaints.get(revision.post_id, ()),
            similar=histories["similar"][index],
            shares=revision.shares,
            comments=revision.comments,
        )
        for index, revision in enumerate(revisions)
    ]


def _rows(sql: str, **values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql.replace("{sample}", str(SAMPLE)), values)
        return list(cursor.fetchall())


def _histories(kind: str, *, keys: Sequence[str | None], posts: Sequence[int], at: datetime) -> list[History]:
    """Return one history per key; a key of None (no address was sent) has an empty one."""
    asked = [(key, post) for key, post in zip(keys, posts, strict=True) if key is not None]
    if not asked:
        return [History()] * len(keys)
    rows = iter(
        _rows(
            _HISTORY.replace("{source}", _SOURCES[kind]),
            keys=[key for key, _ in asked],
            posts=[post for _, post in asked],
            at=at,
        )
    )
    return [History() if key is None else _history(next(rows)) for key in keys]


def _history(row: tuple[int, int, int, int, int, int, datetime | None]) -> History:
    posts, posts_24h, spam, not_spam, complaints, authors, first_seen_at = row
    return History(
        posts=posts,
        posts_24h=posts_24h,
        confirmed_spam=spam,
        confirmed_not_spam=not_spam,
        complaints=complaints,
        authors=authors,
        first_seen_at=first_seen_at,
    )


def _since(history: History, first_seen_at: datetime, *, at: datetime) -> History:
    """Date a history by the row that knows its true beginning, which may lie before the counted sample."""
    if first_seen_at >= at:
        return history
    values = {name: getattr(history, name) for name in History.__slots__}
    return History(**(values | {"first_seen_at": first_seen_at}))


def _author(snapshot: Mapping[str, Any]) -> AuthorSnapshot:
    created_at = snapshot.get("created_at")
    return AuthorSnapshot(
        **(dict(snapshot) | {"created_at": datetime.fromisoformat(created_at) if created_at else None})
    )


def _links(*, revisions: Sequence[Revision], at: datetime) -> dict[int, tuple[Link, ...]]:
    by_id = {revision.pk: revision for revision in revisions}
    rows = list(
        PostLink.objects.filter(revision__in=by_id)
        .select_related("domain")
        .order_by("revision_id", "position")
    )
    if not rows:
        return {}
    posts = [by_id[row.revision_id].post_id for row in rows]
    counts = {
        link_id: (url_posts, author_posts)
        for link_id, url_posts, author_posts in _rows(
            _LINK_COUNTS,
            links=[row.pk for row in rows],
            digests=[row.url_digest for row in rows],
            posts=posts,
            authors=[by_id[row.revision_id].post.author_id for row in rows],
            at=at,
        )
    }
    histories = _histories("domain", keys=[str(row.domain_id) for row in rows], posts=posts, at=at)
    links: dict[int, list[Link]] = defaultdict(list)
    for row, history in zip(rows, histories, strict=True):
        url_posts, author_posts = counts[row.pk]
        links[row.revision_id].append(
            Link(
                url=row.url,
                host=row.host,
                domain=registrable_domain(row.host),
                domain_history=_since(history, row.domain.first_seen_at, at=at),
                url_posts=url_posts,
                author_posts=author_posts,
            )
        )
    return {revision_id: tuple(found) for revision_id, found in links.items()}


def _same_texts(*, revisions: Sequence[Revision], at: datetime) -> list[int]:
    rows = _rows(
        _SAME_TEXT,
        digests=[revision.text_digest for revision in revisions],
        posts=[revision.post_id for revision in revisions],
        authors=[revision.post.author_id for revision in revisions],
        at=at,
    )
    return [count for (count,) in rows]


def _complaints(*, revisions: Sequence[Revision], at: datetime) -> dict[int, tuple[ComplaintRecord, ...]]:
    complaints: dict[int, list[ComplaintRecord]] = defaultdict(list)
    for post_id, reason, reported_at, confirmed, rejected in _rows(
        _COMPLAINTS, posts=sorted({revision.post_id for revision in revisions}), at=at
    ):
        complaints[post_id].append(
            ComplaintRecord(
                reason=reason,
                reported_at=reported_at,
                reporter_confirmed=confirmed,
                reporter_rejected=rejected,
            )
        )
    return {post_id: tuple(found) for post_id, found in complaints.items()}
