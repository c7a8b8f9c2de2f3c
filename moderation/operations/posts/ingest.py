"""Store posts. Idempotent: the same revision again changes nothing."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from moderation import enqueue, tracing
from moderation.models import Platform, Post, Revision
from moderation.models.posts import ScoreState, Subject
from moderation.operations.evidence import sent_pictures
from moderation.operations.posts import complaints, links, sql
from moderation.operations.posts.incoming_post import IncomingParent, IncomingPost, body_digest, revision_of
from moderation.operations.reputation import inquiry

_ERASED = "The post was erased; no revision of it is taken in any more."


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A post that is stored, now or before."""

    post_id: int
    revision_id: int
    external_id: str
    revision: int
    score_state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A post that was not stored; `code` is stable, `detail` is for people."""

    external_id: str
    code: str
    detail: str


_Taken = tuple[list[Revision | Refused], list[Revision]]
"""The answer to each post, and the revisions that are new."""


def accept(*, platform: Platform, posts: Sequence[IncomingPost], at: datetime) -> list[Accepted | Refused]:
    """Store posts and enqueue their scoring; return one answer per post, in order.

    The comparison with earlier posts (backfill) is done before scoring, not while the sender waits.
    """
    # A failure here fails the whole request: a savepoint would cost two statements for nothing.
    with transaction.atomic(savepoint=False):
        answers, fresh = _stored(platform=platform, posts=posts, at=at)
        enqueue.first_scoring(revision_ids=_pending(fresh))
    return [_answer(answer) for answer in answers]


def store(*, platform: Platform, posts: Sequence[IncomingPost], at: datetime) -> list[Accepted | Refused]:
    """Store posts as `accept` does, for a caller that scores them itself; should it die, the sweep does."""
    with transaction.atomic(savepoint=False):
        answers, _ = _stored(platform=platform, posts=posts, at=at)
    return [_answer(answer) for answer in answers]


def numbered(post: IncomingPost, *, platform: Platform) -> IncomingPost:
    """Return a post under the number of the stored revision that says the same, else under the next.

    For what comes without one. The time is the stored one; what says nothing leaves what is stored, and so
    does an account's name alone.
    """
    rows = Revision.objects.filter(post__platform=platform, post__external_id=post.external_id)
    latest = rows.select_related("post").order_by("-number").first()
    if latest is None:
        return post
    same = dataclasses.replace(post, revision=latest.number, posted_at=latest.post.posted_at)
    if body_digest(same) == latest.body_digest:
        return same
    is_name = post.subject == Subject.ACCOUNT and post.text == post.author.display_name
    is_less = is_name and ("\n" in latest.text or latest.links or latest.media_urls)
    if post.links or post.media_urls or (post.text and not is_less):
        return dataclasses.replace(same, revision=latest.number + 1)
    links, media_urls = tuple(latest.links), tuple(latest.media_urls)
    return dataclasses.replace(same, text=latest.text, links=links, media_urls=media_urls)


def _stored(*, platform: Platform, posts: Sequence[IncomingPost], at: datetime) -> _Taken:
    posts = _without_stored_parents(platform=platform, posts=posts)
    result = _first(platform=platform, posts=posts, at=at) or _all(platform=platform, posts=posts, at=at)
    _keep_pictures(posts, fresh=result[1], platform=platform, at=at)
    complaints.attach_to_posts(platform=platform, posts=[revision.post for revision in result[1]])
    if inquiry.is_configured():
        enqueue.reputation(revision_ids=_pending(result[1]))
    for row in result[1]:
        tracing.span("intake", of=row, began_at=at, request_id=enqueue.request_id())
    return result


def _keep_pictures(
    posts: Sequence[IncomingPost], *, fresh: Sequence[Revision], platform: Platform, at: datetime
) -> None:
    """Keep the pictures of new revisions, until they were read."""
    pictures = {name: data for post in posts for name, data in post.pictures}
    if pictures:
        urls = {url for revision in fresh for url in revision.media_urls}
        sent_pictures.keep(
            {name: data for name, data in pictures.items() if name in urls}, platform=platform, at=at
        )


def _pending(fresh: Sequence[Revision]) -> list[int]:
    return [revision.pk for revision in fresh if revision.scoring.state == ScoreState.PENDING]


def _first(*, platform: Platform, posts: Sequence[IncomingPost], at: datetime) -> _Taken | None:
    """Store a single new post in fewer statements; None if it turns out not to be new."""
    if len(posts) != 1 or posts[0].revision != 1 or _authors_of_parents(posts):
        return None
    [post] = posts
    row = Post(
        platform=platform,
        external_id=post.external_id,
        subject=post.subject,
        posted_at=post.posted_at,
        received_at=at,
        latest_revision=post.revision,
    )
    revision = revision_of(incoming=post, row=row, digest=body_digest(post), at=at)
    author = post.author
    if not sql.first(
        post=row, author=author.external_id, display_name=author.display_name, revision=revision
    ):
        return None
    links.store(revisions=[revision], at=at)
    return [revision], [revision]


def _all(*, platform: Platform, posts: Sequence[IncomingPost], at: datetime) -> _Taken:
    complaints.lock_platform(platform=platform, may_be_early=False)
    # Authors of posts last: how they call themselves is newer than what an answer says of them.
    names = _authors_of_parents(posts) | {post.author.external_id: post.author.display_name for post in posts}
    authors = sql.authors(platform=platform, names=names, at=at)
    rows, new_ids = sql.posts(
        platform=platform, fresh=_posts(platform=platform, posts=posts, authors=authors, at=at), at=at
    )
    revisions = _known_revisions(posts=posts, rows=rows, new=new_ids)
    answers, fresh = _sort_out(posts=posts, rows=rows, known=revisions, authors=authors, at=at)
    _write(fresh=fresh, new=new_ids, at=at)
    return answers, fresh


def _posts(
    *, platform: Platform, posts: Sequence[IncomingPost], authors: dict[str, int], at: datetime
) -> list[Post]:
    """Return the unsaved rows of posts, as if all of them were new."""
    rows: dict[str, Post] = {}
    for post in posts:
        row = rows.get(post.external_id)
        if row is None:
            rows[post.external_id] = Post(
                platform=platform,
                external_id=post.external_id,
                subject=post.subject,
                author_id=authors[post.author.external_id],
                posted_at=post.posted_at,
                received_at=at,
                latest_revision=post.revision,
            )
        else:
            row.latest_revision = max(row.latest_revision, post.revision)
    return list(rows.values())


def _known_revisions(
    *, posts: Sequence[IncomingPost], rows: dict[str, Post], new: set[int]
) -> dict[tuple[int, int], Revision]:
    old_rows = {row.pk: row for row in rows.values() if row.pk not in new}
    if not old_rows:
        return {}
    numbers = {post.revision for post in posts}
    revisions = {}
    known = Revision.objects.select_related("scoring").filter(post__in=old_rows, number__in=numbers)
    for revision in known:
        revision.post = old_rows[revision.post_id]
        revisions[revision.post_id, revision.number] = revision
    return revisions


def _sort_out(
    *,
    posts: Sequence[IncomingPost],
    rows: dict[str, Post],
    known: dict[tuple[int, int], Revision],
    authors: dict[str, int],
    at: datetime,
) -> _Taken:
    """Separate new revisions from repeated and conflicting ones; a batch may hold the same post twice."""
    answers: list[Revision | Refused] = []
    fresh: list[Revision] = []
    updates: dict[int, Revision] = {}
    for incoming in posts:
        row, digest = rows[incoming.external_id], body_digest(incoming)
        revision = known.get((row.pk, incoming.revision))
        if row.erased_at is not None:
            answers.append(Refused(external_id=incoming.external_id, code="erased", detail=_ERASED))
        elif revision is None:
            revision = revision_of(incoming=incoming, row=row, digest=digest, at=at)
            if incoming.parent:
                revision.parent_author_id = authors.get(incoming.parent.author_external_id)
            known[row.pk, incoming.revision] = revision
            fresh.append(revision)
            answers.append(revision)
        elif revision.body_digest == digest:
            if _has_moved(revision, incoming):
                updates[revision.pk] = revision
            answers.append(revision)
        else:
            detail = f"Revision {incoming.revision} is stored with another content; send a higher revision."
            answers.append(Refused(external_id=incoming.external_id, code="revision_conflict", detail=detail))
    Revision.objects.bulk_update(updates.values(), ["shares", "comments", "views"])
    return answers, fresh


def _has_moved(there: Revision, incoming: IncomingPost) -> bool:
    """Copy changed counts to the stored revision; return whether it must be saved."""
    counts = (incoming.shares, incoming.comments, incoming.views)
    if there.pk is None or counts in ((None,) * 3, (there.shares, there.comments, there.views)):
        return False
    there.shares, there.comments, there.views = counts
    return True


def _write(*, fresh: list[Revision], new: set[int], at: datetime) -> None:
    if not fresh:
        return
    for revision in fresh:
        revision.post.latest_revision = max(revision.post.latest_revision, revision.number)
    # A second loop: only now is the highest number of each post known.
    for revision in fresh:
        if revision.number < revision.post.latest_revision:
            revision.scoring.state = ScoreState.SUPERSEDED
    sql.revisions(fresh=fresh)
    sql.latest(numbers={row.post_id: row.post.latest_revision for row in fresh if row.post_id not in new})
    links.store(revisions=fresh, at=at)


def _answer(answer: Revision | Refused) -> Accepted | Refused:
    if isinstance(answer, Refused):
        return answer
    return Accepted(
        post_id=answer.post_id,
        revision_id=answer.pk,
        external_id=answer.post.external_id,
        revision=answer.number,
        score_state=answer.scoring.state,
    )


def _without_stored_parents(*, platform: Platform, posts: Sequence[IncomingPost]) -> Sequence[IncomingPost]:
    """Leave out text and author of parents that are stored here, erased ones included."""
    told = [post.parent for post in posts if post.parent]
    ids = {parent.external_id for parent in told if parent.text or parent.author_external_id}
    if not ids:
        return posts
    rows = Post.objects.filter(platform=platform, external_id__in=ids)
    names = set(rows.values_list("external_id", flat=True))
    return [
        dataclasses.replace(post, parent=IncomingParent(external_id=post.parent.external_id))
        if post.parent and post.parent.external_id in names
        else post
        for post in posts
    ]


def _authors_of_parents(posts: Sequence[IncomingPost]) -> dict[str, str]:
    """Return the display names of the parents' authors by the platform's id, "" where not told."""
    parents = [post.parent for post in posts if post.parent]
    return {parent.author_external_id: parent.author_name for parent in parents if parent.author_external_id}
