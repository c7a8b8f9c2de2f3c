"""Rows of incoming posts: one statement per table however many posts there are.

Written as SQL and COPY: the ORM spent more time on building its statements than the database on executing
them.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from moderation import prepared
from moderation.models import Platform, Post, Revision
from moderation.models.posts import ScoreState
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock

# Sorted, so that two requests with the same authors or posts take their locks in the same order.
_ADD_AUTHORS = """
INSERT INTO moderation_author (platform_id, external_id, display_name, first_seen_at)
SELECT %(platform)s, k.external_id, k.display_name, %(at)s
FROM unnest(%(names)s::text[], %(display_names)s::text[]) AS k(external_id, display_name)
ON CONFLICT (platform_id, external_id) DO NOTHING RETURNING id, external_id
"""
_KNOWN_AUTHORS = """
SELECT id, external_id, display_name FROM moderation_author
WHERE platform_id = %(platform)s AND external_id = ANY(%(names)s) FOR KEY SHARE
"""
"""Locked, so that an erasure comes before (the id leads nowhere any more) or after what we store of them."""
_RENAME = """
UPDATE moderation_author a SET display_name = k.display_name
FROM (SELECT m.id, n.display_name
      FROM unnest(%(ids)s::bigint[], %(display_names)s::text[]) AS n(id, display_name)
      JOIN moderation_author m ON m.id = n.id AND m.erased_at IS NULL ORDER BY m.id FOR NO KEY UPDATE OF m) k
WHERE a.id = k.id
"""
_ADD_POSTS = """
INSERT INTO moderation_post
  (platform_id, external_id, subject, author_id, posted_at, received_at, latest_revision)
SELECT %(platform)s, k.external_id, k.subject, k.author_id, k.posted_at, %(at)s, k.revision
FROM unnest(%(names)s::text[], %(subjects)s::text[], %(authors)s::bigint[], %(posted)s::timestamptz[],
            %(revisions)s::int[])
  AS k(external_id, subject, author_id, posted_at, revision)
ON CONFLICT (platform_id, external_id) DO NOTHING RETURNING id, external_id
"""
_LATEST = """
UPDATE moderation_post p SET latest_revision = greatest(p.latest_revision, k.revision)
FROM unnest(%(ids)s::bigint[], %(revisions)s::int[]) AS k(id, revision) WHERE p.id = k.id
"""
_SUPERSEDE = """
UPDATE moderation_scoringjob j SET state = %(superseded)s
FROM unnest(%(posts)s::bigint[], %(numbers)s::int[]) AS k(post_id, number)
JOIN moderation_revision r ON r.post_id = k.post_id AND r.number < k.number
WHERE j.revision_id = r.id AND j.state = ANY(%(open)s)
"""
_JSON = ("links", "media_urls", "transcripts", "author_snapshot")
_COLUMNS = tuple(field.attname for field in Revision._meta.concrete_fields)  # noqa: SLF001 - documented
_VALUES = ", ".join(f"%({name})s" for name in _COLUMNS[2:])
"""All but the ids of the revision and of its post."""
_JOBS = "moderation_scoringjob (revision_id, state, enqueued_at, attempts, generation)"
_ADD_REVISION = f"""
WITH revision AS (
  INSERT INTO moderation_revision ({", ".join(_COLUMNS[1:])}) VALUES (%(post_id)s, {_VALUES}) RETURNING id),
job AS (INSERT INTO {_JOBS} SELECT id, %(state)s, %(received_at)s, 0, 1 FROM revision)
SELECT id FROM revision
"""  # noqa: S608 - names of columns
# The parts of a WITH run in no order of their own: every part reads `met` or a part that does, so the lock
# comes first. All of them see one snapshot. An author whom another transaction inserts meanwhile is in
# neither `known` nor `added`: then no row comes back, and ingest stores the post by the longer way.
_ADD_FIRST = f"""
WITH met AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(%(intake)s, %(platform)s)),
known AS MATERIALIZED (
  SELECT a.id FROM met, moderation_author a WHERE a.platform_id = %(platform)s
  AND a.external_id = %(author)s AND %(display_name)s IN ('', a.display_name) FOR KEY SHARE OF a),
added AS (
  INSERT INTO moderation_author (platform_id, external_id, display_name, first_seen_at)
  SELECT %(platform)s, %(author)s, %(display_name)s, %(received_at)s FROM met
  WHERE NOT EXISTS (SELECT FROM known)
  ON CONFLICT (platform_id, external_id) DO NOTHING RETURNING id),
post AS (
  INSERT INTO moderation_post
    (platform_id, external_id, subject, author_id, posted_at, received_at, latest_revision)
  SELECT %(platform)s, %(external_id)s, %(subject)s, author.id, %(posted_at)s, %(received_at)s, %(number)s
  FROM (SELECT id FROM known UNION ALL SELECT id FROM added) author
  ON CONFLICT (platform_id, external_id) DO NOTHING RETURNING id),
revision AS (
  INSERT INTO moderation_revision ({", ".join(_COLUMNS[1:])})
  SELECT post.id, {_VALUES} FROM post RETURNING post_id, id),
job AS (INSERT INTO {_JOBS} SELECT id, %(state)s, %(received_at)s, 0, 1 FROM revision)
SELECT post_id, id FROM revision
"""  # noqa: S608 - names of columns
_FEW = 2
"""Up to this many, one INSERT each takes fewer round trips than COPY."""


def authors(*, platform: Platform, names: Mapping[str, str], at: datetime) -> dict[str, int]:
    """Return the ids of authors by the platform's own; add those who are new, rename those who changed.

    `names` maps the platform's id to the display name, "" where it did not say.
    """
    ordered = sorted(names)
    known_rows = prepared.rows(_KNOWN_AUTHORS, platform=platform.pk, names=ordered)
    ids = {external_id: author_id for author_id, external_id, _ in known_rows}
    new_names = [name for name in ordered if name not in ids]
    if new_names:
        added_rows = prepared.rows(
            _ADD_AUTHORS,
            platform=platform.pk,
            names=new_names,
            display_names=[names[name] for name in new_names],
            at=at,
        )
        ids |= {external_id: author_id for author_id, external_id in added_rows}
    late_names = [name for name in new_names if name not in ids]
    if late_names:  # inserted by a concurrent transaction
        late_rows = prepared.rows(_KNOWN_AUTHORS, platform=platform.pk, names=late_names)
        ids |= {external_id: author_id for author_id, external_id, _ in late_rows}
    # After the inserts, which wait for a transaction that renames the same author: avoids a deadlock.
    renamed = {pk: names[name] for pk, name, shown in known_rows if names[name] not in ("", shown)}
    if renamed:
        prepared.run(_RENAME, ids=list(renamed), display_names=list(renamed.values()))
    return ids


def posts(*, platform: Platform, fresh: Sequence[Post], at: datetime) -> tuple[dict[str, Post], set[int]]:
    """Insert missing posts and lock all of them for this transaction; return rows by the platform's own id.

    Returns them with the ids of those that are new.
    """
    ordered = sorted(fresh, key=lambda post: post.external_id)
    rows = {post.external_id: post for post in ordered}
    added_rows = prepared.rows(
        _ADD_POSTS,
        platform=platform.pk,
        names=list(rows),
        subjects=[post.subject for post in ordered],
        authors=[post.author_id for post in ordered],
        posted=[post.posted_at for post in ordered],
        revisions=[post.latest_revision for post in ordered],
        at=at,
    )
    for post_id, external_id in added_rows:
        rows[external_id].pk = post_id
    new_ids = {post_id for post_id, _ in added_rows}
    if len(new_ids) < len(rows):
        old_names = [post.external_id for post in ordered if post.pk not in new_ids]
        # NO KEY: inserts of rows that point to a post need not wait. Locked after all inserts, to avoid a
        # deadlock.
        old_posts = Post.objects.select_for_update(no_key=True).filter(
            platform=platform, external_id__in=old_names
        )
        rows |= {post.external_id: post for post in old_posts.order_by("id")}
    return rows, new_ids


def first(*, post: Post, author: str, display_name: str, revision: Revision) -> bool:
    """Save a new post, its author and its revision, in one statement.

    It takes the lock of `complaints.lock_platform` before any row. Returns False if the post exists already
    or the author has another name by now; then nothing was saved, except perhaps the author.
    """
    ids = prepared.rows(
        _ADD_FIRST,
        **_values(revision),
        state=revision.scoring.state,
        platform=post.platform_id,
        external_id=post.external_id,
        subject=post.subject,
        posted_at=post.posted_at,
        author=author,
        display_name=display_name,
        intake=AdvisoryLock.INTAKE.value,
    )
    for post.pk, revision.pk in ids:
        revision.post = post  # copies the id that the post got
    return bool(ids)


def revisions(*, fresh: Sequence[Revision]) -> None:
    """Save new revisions and give them their ids."""
    if len(fresh) <= _FEW:
        for revision in fresh:
            [(revision.pk,)] = prepared.rows(_ADD_REVISION, **_values(revision), state=revision.scoring.state)
        return
    prepared.save(fresh, learns_ids=True)
    jobs = [(revision.pk, revision.scoring.state, revision.received_at, 0, 1) for revision in fresh]
    prepared.copy(_JOBS, jobs)


def latest(*, numbers: Mapping[int, int]) -> None:
    """Update the highest revision of existing posts, and supersede the scoring of lower ones."""
    if not numbers:
        return
    posts, highest = list(numbers), list(numbers.values())
    prepared.run(_LATEST, ids=posts, revisions=highest)
    prepared.run(
        _SUPERSEDE,
        posts=posts,
        numbers=highest,
        superseded=ScoreState.SUPERSEDED.value,
        open=[ScoreState.PENDING.value, ScoreState.DEGRADED.value],
    )


def _values(revision: Revision) -> dict[str, Any]:
    """Return the row of a revision, by column and in their order."""
    values = revision.__dict__
    # As text: psycopg would send a list as an array, not as JSON.
    return {name: json.dumps(values[name]) if name in _JSON else values[name] for name in _COLUMNS}
