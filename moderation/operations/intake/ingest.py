"""Take in posts. Safe to repeat: the same revision again changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from moderation import enqueue
from moderation.models import Platform, Post, Revision
from moderation.models.posts import ScoreState
from moderation.operations.intake import complain, links
from moderation.operations.intake import rows as intake_rows
from moderation.operations.intake.incoming_post import IncomingPost, body_digest, revision_of
from moderation.operations.reputation import inquiry
from moderation.operations.similarity import author_bands, backfill

_ERASED = "The post was erased; no revision of it is taken in any more."


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A post that is stored. `is_new` is False when the same revision was there already."""

    post_id: int
    revision_id: int
    external_id: str
    revision: int
    score_state: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A post that was not stored; `code` is stable, `detail` is for people."""

    external_id: str
    code: str
    detail: str


_Taken = tuple[list[tuple[Revision, bool] | Refused], list[Revision]]
"""The answer to each post, and the revisions that are new."""


def accept(
    *,
    platform: Platform,
    posts: Sequence[IncomingPost],
    at: datetime,
    is_enqueued: bool = True,
    is_compared: bool = True,
) -> list[Accepted | Refused]:
    """Store posts and enqueue their scoring; return one answer per post, in order.

    Without enqueuing, the caller scores at once; should it die, the sweep finds what it left. Posts that are
    not compared with others now are compared when they are scored: a sender need not wait for that.
    """
    # What fails here fails the whole request: a savepoint of its own would cost two statements for nothing.
    with transaction.atomic(savepoint=False):
        taken = None if is_compared else _first(platform=platform, posts=posts, at=at)
        answers, fresh = taken or _all(platform=platform, posts=posts, is_compared=is_compared, at=at)
        complain.join(platform=platform, posts=[revision.post for revision in fresh])
        pending = [revision.pk for revision in fresh if revision.score_state == ScoreState.PENDING]
        if is_enqueued:
            enqueue.scoring(revision_ids=pending)
        if inquiry.is_configured():
            enqueue.reputation(revision_ids=pending)
    return [_answer(answer) for answer in answers]


def _first(*, platform: Platform, posts: Sequence[IncomingPost], at: datetime) -> _Taken | None:
    """Store a single post that nobody sent before, in fewer statements; None if it is not plainly that."""
    if len(posts) != 1 or posts[0].revision != 1:
        return None
    [post] = posts
    row = Post(
        platform=platform,
        external_id=post.external_id,
        posted_at=post.posted_at,
        received_at=at,
        latest_revision=post.revision,
    )
    revision = revision_of(incoming=post, row=row, digest=body_digest(post), at=at)
    is_stored = intake_rows.first(
        post=row,
        author=post.author.external_id,
        display_name=post.author.display_name,
        revision=revision,
    )
    if not is_stored:
        return None
    links.store(revisions=[revision], at=at)
    return [(revision, True)], [revision]


def _all(*, platform: Platform, posts: Sequence[IncomingPost], is_compared: bool, at: datetime) -> _Taken:
    complain.meet(platform=platform, may_be_early=False)
    authors = intake_rows.authors(platform=platform, names=_names(posts), at=at)
    rows, new = intake_rows.posts(
        platform=platform, fresh=_posts(platform=platform, posts=posts, authors=authors, at=at), at=at
    )
    known = _known_revisions(posts=posts, rows=rows, new=new)
    answers, fresh = _sort_out(posts=posts, rows=rows, known=known, at=at)
    _store(fresh=fresh, new=new, is_compared=is_compared, at=at)
    return answers, fresh


def _names(posts: Sequence[IncomingPost]) -> dict[str, str]:
    return {post.author.external_id: post.author.display_name for post in posts}


def _posts(
    *, platform: Platform, posts: Sequence[IncomingPost], authors: dict[str, int], at: datetime
) -> list[Post]:
    """Return the rows that posts would have if nobody had sent them before."""
    first: dict[str, Post] = {}
    for post in posts:
        row = first.get(post.external_id)
        if row is None:
            first[post.external_id] = Post(
                platform=platform,
                external_id=post.external_id,
                author_id=authors[post.author.external_id],
                posted_at=post.posted_at,
                received_at=at,
                latest_revision=post.revision,
            )
        else:
            row.latest_revision = max(row.latest_revision, post.revision)
    return list(first.values())


def _known_revisions(
    *, posts: Sequence[IncomingPost], rows: dict[str, Post], new: set[int]
) -> dict[tuple[int, int], Revision]:
    there = {row.pk: row for row in rows.values() if row.pk not in new}
    if not there:
        return {}
    numbers = {post.revision for post in posts}
    known = {}
    for revision in Revision.objects.filter(post__in=there, number__in=numbers):
        revision.post = there[revision.post_id]
        known[revision.post_id, revision.number] = revision
    return known


def _sort_out(
    *,
    posts: Sequence[IncomingPost],
    rows: dict[str, Post],
    known: dict[tuple[int, int], Revision],
    at: datetime,
) -> _Taken:
    """Tell new revisions from repeated and contradicting ones; a batch may hold the same post twice."""
    answers: list[tuple[Revision, bool] | Refused] = []
    fresh: list[Revision] = []
    counted: dict[int, Revision] = {}
    for incoming in posts:
        row, digest = rows[incoming.external_id], body_digest(incoming)
        there = known.get((row.pk, incoming.revision))
        if row.erased_at is not None:
            answers.append(Refused(external_id=incoming.external_id, code="erased", detail=_ERASED))
        elif there is None:
            there = revision_of(incoming=incoming, row=row, digest=digest, at=at)
            known[row.pk, incoming.revision] = there
            fresh.append(there)
            answers.append((there, True))
        elif there.body_digest == digest:
            if _has_moved(there, incoming):
                counted[there.pk] = there
            answers.append((there, False))
        else:
            detail = f"Revision {incoming.revision} is stored with another content; send a higher revision."
            answers.append(Refused(external_id=incoming.external_id, code="revision_conflict", detail=detail))
    Revision.objects.bulk_update(counted.values(), ["shares", "comments"])
    return answers, fresh


def _has_moved(there: Revision, incoming: IncomingPost) -> bool:
    """Take over counts that differ; return whether a stored row must follow."""
    counts = (incoming.shares, incoming.comments)
    if there.pk is None or counts in ((None, None), (there.shares, there.comments)):
        return False
    there.shares, there.comments = counts
    return True


def _store(*, fresh: list[Revision], new: set[int], is_compared: bool, at: datetime) -> None:
    if not fresh:
        return
    for revision in fresh:
        revision.post.latest_revision = max(revision.post.latest_revision, revision.number)
    for revision in fresh:
        if revision.number < revision.post.latest_revision:
            revision.score_state = ScoreState.SUPERSEDED
    if is_compared:
        backfill.group(revisions=fresh)
    intake_rows.revisions(fresh=fresh)
    intake_rows.latest(
        numbers={row.post_id: row.post.latest_revision for row in fresh if row.post_id not in new}
    )
    links.store(revisions=fresh, at=at)
    if is_compared:
        author_bands.store(revisions=fresh, at=at)


def _answer(answer: tuple[Revision, bool] | Refused) -> Accepted | Refused:
    if isinstance(answer, Refused):
        return answer
    revision, is_new = answer
    return Accepted(
        post_id=revision.post_id,
        revision_id=revision.pk,
        external_id=revision.post.external_id,
        revision=revision.number,
        score_state=revision.score_state,
        is_new=is_new,
    )
