"""Take in posts. Safe to repeat: the same revision again changes nothing."""

from __future__ import annotations

import dataclasses
import hashlib
import ipaddress
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from moderation import enqueue
from moderation.models import Author, Platform, Post, Revision
from moderation.models.posts import ScoreState
from moderation.operations import complain, likeness, link, resemble
from moderation.operations.reputation import inquiry

_ERASED = "The post was erased; no revision of it is taken in any more."


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingAuthor:
    """The author as the platform describes them now; None where it does not say."""

    external_id: str
    display_name: str = ""
    created_at: datetime | None = None
    email_domain: str | None = None
    friends: int | None = None
    followers: int | None = None
    is_verified: bool | None = None
    posts: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingPost:
    """A validated post. `journey` holds (step name, milliseconds since the first step)."""

    external_id: str
    text: str
    posted_at: datetime
    author: IncomingAuthor
    revision: int = 1
    language: str = ""
    ip: str | None = None
    ip_asn: int | None = None
    user_agent: str = ""
    links: tuple[str, ...] = ()
    media_urls: tuple[str, ...] = ()
    journey: tuple[tuple[str, int], ...] = ()
    shares: int | None = None
    comments: int | None = None


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


def accept(
    *, platform: Platform, posts: Sequence[IncomingPost], at: datetime, is_enqueued: bool = True
) -> list[Accepted | Refused]:
    """Store posts and enqueue their scoring; return one answer per post, in order.

    Without enqueuing, the caller scores at once; should it die, the sweep finds what it left.
    """
    with transaction.atomic():
        complain.meet(platform=platform, may_be_early=False)
        authors = _authors(platform=platform, posts=posts, at=at)
        rows = _posts(platform=platform, posts=posts, authors=authors, at=at)
        known = _known_revisions(posts=posts, rows=rows)
        answers, fresh = _sort_out(posts=posts, rows=rows, known=known, at=at)
        _store(fresh=fresh, at=at)
        complain.join(platform=platform, posts=[revision.post for revision, _ in fresh])
        pending = [revision.pk for revision, _ in fresh if revision.score_state == ScoreState.PENDING]
        if is_enqueued:
            enqueue.scoring(revision_ids=pending)
        if inquiry.is_configured():
            enqueue.reputation(revision_ids=pending)
    return [_answer(answer) for answer in answers]


def _authors(*, platform: Platform, posts: Sequence[IncomingPost], at: datetime) -> dict[str, Author]:
    names = {post.author.external_id: post.author.display_name for post in posts}
    # Sorted, so that two requests with the same authors take their locks in the same order.
    Author.objects.bulk_create(
        [
            Author(
                platform=platform, external_id=external_id, display_name=names[external_id], first_seen_at=at
            )
            for external_id in sorted(names)
        ],
        ignore_conflicts=True,
    )
    authors = {
        author.external_id: author
        for author in Author.objects.filter(platform=platform, external_id__in=names)
    }
    renamed = [
        author for author in authors.values() if names[author.external_id] not in ("", author.display_name)
    ]
    for author in renamed:
        author.display_name = names[author.external_id]
    Author.objects.bulk_update(sorted(renamed, key=lambda author: author.pk), ["display_name"])
    return authors


def _posts(
    *, platform: Platform, posts: Sequence[IncomingPost], authors: dict[str, Author], at: datetime
) -> dict[str, Post]:
    """Make sure that every post has its row, and lock the rows for this transaction."""
    first = {post.external_id: post for post in reversed(posts)}
    Post.objects.bulk_create(
        [
            Post(
                platform=platform,
                external_id=external_id,
                author=authors[first[external_id].author.external_id],
                posted_at=first[external_id].posted_at,
                received_at=at,
                latest_revision=0,
            )
            for external_id in sorted(first)
        ],
        ignore_conflicts=True,
    )
    rows = Post.objects.select_for_update(no_key=True)  # whoever points to a post need not wait
    locked = rows.filter(platform=platform, external_id__in=first).order_by("id")
    return {row.external_id: row for row in locked}


def _known_revisions(
    *, posts: Sequence[IncomingPost], rows: dict[str, Post]
) -> dict[tuple[int, int], Revision]:
    numbers = {post.revision for post in posts}
    known = Revision.objects.filter(post__in=rows.values(), number__in=numbers).select_related("post")
    return {(revision.post_id, revision.number): revision for revision in known}


def _sort_out(
    *,
    posts: Sequence[IncomingPost],
    rows: dict[str, Post],
    known: dict[tuple[int, int], Revision],
    at: datetime,
) -> tuple[list[tuple[Revision, bool] | Refused], list[tuple[Revision, IncomingPost]]]:
    """Tell new revisions from repeated and contradicting ones; a batch may hold the same post twice."""
    answers: list[tuple[Revision, bool] | Refused] = []
    fresh: list[tuple[Revision, IncomingPost]] = []
    for incoming in posts:
        row = rows[incoming.external_id]
        digest = _body_digest(incoming)
        there = known.get((row.pk, incoming.revision))
        if row.erased_at is not None:
            answers.append(Refused(external_id=incoming.external_id, code="erased", detail=_ERASED))
        elif there is None:
            there = _revision(incoming=incoming, row=row, digest=digest, at=at)
            known[row.pk, incoming.revision] = there
            fresh.append((there, incoming))
            answers.append((there, True))
        elif there.body_digest == digest:
            _update_counts(there, incoming)
            answers.append((there, False))
        else:
            detail = f"Revision {incoming.revision} is stored with another content; send a higher revision."
            answers.append(Refused(external_id=incoming.external_id, code="revision_conflict", detail=detail))
    return answers, fresh


def _update_counts(there: Revision, incoming: IncomingPost) -> None:
    counts = (incoming.shares, incoming.comments)
    if there.pk is not None and counts not in ((None, None), (there.shares, there.comments)):
        there.shares, there.comments = counts
        there.save(update_fields=("shares", "comments"))


def _revision(*, incoming: IncomingPost, row: Post, digest: str, at: datetime) -> Revision:
    return Revision(
        post=row,
        number=incoming.revision,
        received_at=at,
        text=incoming.text,
        language=incoming.language,
        links=list(incoming.links),
        media_urls=list(incoming.media_urls),
        author_snapshot=_plain(dataclasses.asdict(incoming.author)),
        ip=incoming.ip,
        ip_network=_network(incoming.ip),
        ip_asn=incoming.ip_asn,
        user_agent=incoming.user_agent,
        journey=[list(step) for step in incoming.journey],
        shares=incoming.shares,
        comments=incoming.comments,
        body_digest=digest,
        text_digest=_digest(" ".join(incoming.text.casefold().split())),
        enqueued_at=at,
    )


def _store(*, fresh: list[tuple[Revision, IncomingPost]], at: datetime) -> None:
    if not fresh:
        return
    for revision, group in zip(
        (revision for revision, _ in fresh), resemble.groups([post.text for _, post in fresh]), strict=True
    ):
        revision.similarity_group = group
        revision.post.latest_revision = max(revision.post.latest_revision, revision.number)
    for revision, _ in fresh:
        if revision.number < revision.post.latest_revision:
            revision.score_state = ScoreState.SUPERSEDED
    Revision.objects.bulk_create([revision for revision, _ in fresh])
    Post.objects.bulk_update(
        {revision.post_id: revision.post for revision, _ in fresh}.values(), ["latest_revision"]
    )
    _supersede(fresh=[revision for revision, _ in fresh])
    link.store(revisions=[revision for revision, _ in fresh], at=at)
    likeness.store(revisions=[revision for revision, _ in fresh], at=at)


def _supersede(*, fresh: list[Revision]) -> None:
    """A newer revision makes the scoring of older ones pointless."""
    edited = [revision for revision in fresh if revision.number > 1]
    for revision in edited:
        Revision.objects.filter(
            post_id=revision.post_id,
            number__lt=revision.number,
            score_state__in=(ScoreState.PENDING, ScoreState.DEGRADED),
        ).update(score_state=ScoreState.SUPERSEDED)


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


def _network(ip: str | None) -> str:
    """Return the /24 or /48 around an address: what one customer of a provider commonly holds."""
    if ip is None:
        return ""
    prefix = 24 if ipaddress.ip_address(ip).version == 4 else 48
    return str(ipaddress.ip_network((ip, prefix), strict=False))


def _body_digest(incoming: IncomingPost) -> str:
    """Digest what a revision says; counts of shares and comments may move without a new revision."""
    body = _plain(dataclasses.asdict(incoming))
    for moving in ("shares", "comments", "author"):
        body.pop(moving)
    # Absent from the digests of posts that were stored before platforms could send it.
    if body["ip_asn"] is None:
        body.pop("ip_asn")
    return _digest(json.dumps(body, sort_keys=True, ensure_ascii=True))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in values.items()}
