"""Histories of an author, an address, a domain or a similarity group, strictly before an instant.

Of posts on the same platform: two platforms that share their histories count each other's, too.

A history covers the most recent posts only (SAMPLE), so that its cost does not grow with what is stored.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import count
from typing import Any

from moderation import prepared
from scoring.records import RECENT_HALF_LIFE_DAYS, History
from scoring.resemblance import SHARED_BANDS

SAMPLE = 200
"""Maximum number of posts in a history, and of complaints and earlier reports in a record."""

_SCAN = 10 * SAMPLE
"""Latest posts of all platforms searched for those of one, so that widely shared values stay cheap.
"""

_AUTHORS_ALIKE = 50
_NUMBERS = {
    "sample": SAMPLE,
    "scan": _SCAN,
    "authors": _AUTHORS_ALIKE,
    "shared_bands": SHARED_BANDS,
    "half_life": RECENT_HALF_LIFE_DAYS * 86_400,
}

_OF_REVISIONS = (
    "SELECT r.post_id, p.author_id, p.platform_id, r.received_at FROM moderation_revision r"
    " JOIN moderation_post p ON p.id = r.post_id"
    " WHERE {condition} AND r.received_at < %(at)s AND r.post_id <> k.post_id"
    " ORDER BY r.received_at DESC"
)
_SOURCES = {
    "author": "SELECT p.id AS post_id, p.author_id, p.platform_id, p.received_at FROM moderation_post p"
    " WHERE p.author_id = k.key::bigint AND p.received_at < %(at)s AND p.id <> k.post_id"
    " ORDER BY p.received_at DESC",
    "ip": _OF_REVISIONS.format(condition="r.ip = k.key::inet"),
    "network": _OF_REVISIONS.format(condition="r.ip_network = k.key"),
    "asn": _OF_REVISIONS.format(condition="r.ip_asn = k.key::int"),
    "mail": _OF_REVISIONS.format(condition="(r.author_snapshot ->> 'email_domain') = k.key"),
    "similar": _OF_REVISIONS.format(condition="r.similarity_group = k.key::uuid").replace(
        "moderation_revision r", "moderation_revisiongroup r"
    ),
    # Other accounts with enough common bands; for a widely shared band only the newest accounts.
    "resembling": "SELECT p.id AS post_id, p.author_id, p.platform_id, p.received_at FROM moderation_post p"
    " WHERE p.received_at < %(at)s AND p.author_id IN (SELECT alike.author_id FROM"
    " unnest(string_to_array(k.key, ',')::bigint[]) AS own(digest) CROSS JOIN LATERAL"
    " (SELECT b.author_id FROM moderation_authorband b WHERE b.digest = own.digest"
    "  AND b.first_seen_at < %(at)s ORDER BY b.first_seen_at DESC LIMIT {sample}) alike"
    " WHERE alike.author_id <> (SELECT author_id FROM moderation_post WHERE id = k.post_id)"
    " GROUP BY alike.author_id HAVING count(*) >= {shared_bands}"
    " ORDER BY alike.author_id DESC LIMIT {authors})"
    " ORDER BY p.received_at DESC",
    # The author's other posts with the same text.
    "copy": "SELECT p.id AS post_id, p.author_id, p.platform_id, p.received_at FROM moderation_post p"
    " WHERE p.author_id = own.author_id AND p.received_at < %(at)s AND p.id <> k.post_id AND EXISTS"
    " (SELECT FROM moderation_revision r WHERE r.post_id = p.id AND r.text_digest = k.key"
    " AND left(r.text_digest, 7) = left(k.key, 7)"
    " AND r.received_at < %(at)s) ORDER BY p.received_at DESC",
    "domain": "SELECT r.post_id, p.author_id, p.platform_id, l.received_at FROM moderation_postlink l"
    " JOIN moderation_revision r ON r.id = l.revision_id JOIN moderation_post p ON p.id = r.post_id"
    " WHERE l.domain_id = k.key::bigint AND l.received_at < %(at)s AND r.post_id <> k.post_id"
    " ORDER BY l.received_at DESC",
}

# A label that was retracted later stood at that instant: a replay counts what scoring counted.
_LABEL = """LEFT JOIN moderation_label l ON l.post_id = s.post_id AND l.labelled_at < %(at)s
        AND (l.retracted_at IS NULL OR l.retracted_at >= %(at)s){counting}"""

# A page that was spam says nothing of the greeting that led to it, nor of others who use the same words.
_COUNTING = {"similar": " AND NOT l.rests_on_evidence"}
"""The verdicts that a history counts, if not all."""

_HISTORY = """
SELECT '{kind}', k.position, h.*
FROM unnest(%({kind}_keys)s::text[], %({kind}_posts)s::bigint[]) WITH ORDINALITY AS k(key, post_id, position)
JOIN moderation_post own ON own.id = k.post_id
CROSS JOIN LATERAL (
  SELECT count(*), count(*) FILTER (WHERE s.received_at >= %(at)s - interval '24 hours'),
         count(*) FILTER (WHERE l.is_spam), count(*) FILTER (WHERE NOT l.is_spam),
         coalesce(sum(c.complaints), 0)::bigint, count(DISTINCT s.author_id), min(s.received_at),
         coalesce(sum(s.freshness) FILTER (WHERE l.is_spam), 0),
         coalesce(sum(s.freshness) FILTER (WHERE NOT l.is_spam), 0),
         count(DISTINCT (s.received_at AT TIME ZONE 'UTC')::date) FILTER (WHERE l.is_spam),
         count(DISTINCT s.author_id) FILTER (WHERE l.is_spam),
         coalesce(sum(c.spam_complaints), 0)::bigint
  FROM (SELECT post_id, author_id, max(received_at) AS received_at,
               power(0.5, extract(epoch FROM %(at)s - max(received_at))::float8 / {half_life}) AS freshness
        FROM (SELECT * FROM ({source} LIMIT {scan}) any_platform WHERE {on_platform} LIMIT {sample}) recent
        GROUP BY post_id, author_id) s
  {label}
  LEFT JOIN LATERAL (SELECT count(*) AS complaints,
                            count(*) FILTER (WHERE x.reason IN ('spam', 'scam')) AS spam_complaints
                     FROM moderation_complaint x
                     WHERE x.post_id = s.post_id AND x.received_at < %(at)s) c ON true
) h
""".replace("{label}", _LABEL)

_POSTS = """
SELECT s.post_id, l.is_spam, c.complaints
FROM unnest(%(keys)s::text[], %(posts)s::bigint[]) AS k(key, post_id)
JOIN moderation_post own ON own.id = k.post_id
CROSS JOIN LATERAL (
  SELECT post_id, max(received_at) AS received_at
  FROM (SELECT * FROM ({source} LIMIT {scan}) any_platform WHERE {on_platform} LIMIT {sample}) recent
  GROUP BY post_id) s
{label}
LEFT JOIN LATERAL (SELECT count(*) AS complaints FROM moderation_complaint x
                   WHERE x.post_id = s.post_id AND x.received_at < %(at)s) c ON true
ORDER BY s.received_at DESC, s.post_id DESC
""".replace("{label}", _LABEL)

ON_PLATFORM = """(platform_id = own.platform_id OR (
  EXISTS (SELECT FROM moderation_platform f WHERE f.id = own.platform_id AND f.shares_histories)
  AND EXISTS (SELECT FROM moderation_platform f
              WHERE f.id = any_platform.platform_id AND f.shares_histories)))"""
"""The posts visible to a post's history: its own platform's, and others' if both share their histories."""

_HISTORY_FIELDS = tuple(field.name for field in dataclasses.fields(History))
"""In the order of the columns of _HISTORY."""


def histories(
    wanted: Mapping[str, Sequence[tuple[str | None, int]]], *, at: datetime
) -> dict[str, list[History]]:
    """Return, by kind, one history for each key and post, in one statement.

    It is empty for a key of None (the platform sent no such value).
    """
    values: dict[str, list[Any]] = {}
    for kind in _SOURCES:
        known = [(key, post) for key, post in wanted.get(kind, ()) if key is not None]
        values[f"{kind}_keys"] = [key for key, _ in known]
        values[f"{kind}_posts"] = [post for _, post in known]
    counted = {
        (kind, place): History(**dict(zip(_HISTORY_FIELDS, row, strict=True)))
        for kind, place, *row in rows(_HISTORIES, **values, at=at)
    }
    found: dict[str, list[History]] = {}
    for kind, pairs in wanted.items():
        places = count(1)
        found[kind] = [History() if key is None else counted[kind, next(places)] for key, _ in pairs]
    return found


def posts_of(kind: str, *, key: str, post: int, at: datetime) -> list[tuple[int, bool | None, int]]:
    """Return the posts that a history counts, the newest first.

    Each with the human verdict by then (None if there was none) and its complaints by then.
    """
    posts = rows(_of_kind(_POSTS, kind), keys=[key], posts=[post], at=at)
    return [(post_id, is_spam, complaints) for post_id, is_spam, complaints in posts]


def _of_kind(sql: str, kind: str) -> str:
    sql = sql.replace("{source}", _SOURCES[kind]).replace("{counting}", _COUNTING.get(kind, ""))
    return sql.replace("{kind}", kind)


_HISTORIES = " UNION ALL ".join(_of_kind(_HISTORY, kind) for kind in _SOURCES)


def since(history: History, first_seen_at: datetime, *, at: datetime) -> History:
    """Set the true beginning of a history from its own row: it may be before the counted sample."""
    if first_seen_at >= at:
        return history
    return dataclasses.replace(history, first_seen_at=first_seen_at)


def rows(sql: str, **values: Any) -> list[Any]:
    """Run a statement with its {numbers} filled in, and return all rows."""
    return prepared.rows(_filled(sql), **values)


@cache
def _filled(sql: str) -> str:
    # Not str.format: the statements hold braces of arrays. Only constants of this file come in this way;
    # values go as parameters.
    sql = sql.replace("{on_platform}", ON_PLATFORM)
    for name, number in _NUMBERS.items():
        sql = sql.replace(f"{{{name}}}", str(number))
    return sql
