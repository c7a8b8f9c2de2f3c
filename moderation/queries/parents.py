"""The posts that posts answer: as stored here, else as the platform told of them with the answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F, QuerySet
from django.db.models.functions import Left

from moderation.models import Author, Post, Revision

MOST_ANSWERS = 100
"""Answers are counted up to here: a post may have a hundred thousand."""
_LENGTH = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Parent:
    """The post that a post answers; `post_id` is None if it is not stored here, `author` if not told.

    `text` is its beginning, at most 10,000 characters.
    """

    external_id: str
    post_id: int | None
    author: Author | None
    text: str
    is_erased: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """What a post answers, and how many other posts answer it, too, at most MOST_ANSWERS."""

    parent: Parent
    siblings: int

    @property
    def has_more(self) -> bool:
        """Whether there may be more siblings than were counted."""
        return self.siblings >= MOST_ANSWERS


def thread(revision: Revision) -> Thread | None:
    """Return the thread of a revision, None if it answers nothing; loads its post and `parent_author`."""
    post = parent(revision)
    if post is None:
        return None
    platform_id = revision.post.platform_id
    siblings = answers(platform_id=platform_id, external_id=post.external_id).exclude(post=revision.post_id)
    return Thread(parent=post, siblings=siblings[:MOST_ANSWERS].count())


def parent(revision: Revision) -> Parent | None:
    """Return what a revision answers, None if it answers nothing; loads its post and `parent_author`."""
    return parents([revision]).get(revision.pk)


def parents(revisions: Sequence[Revision]) -> dict[int, Parent]:
    """Return what revisions answer, by their ids, in one query for any number of them.

    They are loaded with their posts and `parent_author`.
    """
    answering = [revision for revision in revisions if revision.parent_external_id]
    stored = _stored(answering)
    return {
        revision.pk: stored.get((revision.post.platform_id, revision.parent_external_id)) or _told(revision)
        for revision in answering
    }


def of_revisions(revision_ids: Sequence[int]) -> dict[int, Parent]:
    """Return what revisions answer, by their ids, in two queries for any number of them."""
    if not revision_ids:
        return {}
    rows = Revision.objects.filter(pk__in=revision_ids).select_related("post", "parent_author")
    return parents(list(rows.defer("text", "links", "journey", "author_snapshot")))


def answers(*, platform_id: int, external_id: str) -> QuerySet[Revision]:
    """Return the latest revisions that answer a post of a platform, by the platform's id of it."""
    return named(external_id).filter(post__platform=platform_id, number=F("post__latest_revision")).order_by()


def named(external_id: str) -> QuerySet[Revision]:
    """Return the revisions that answer a post with this id on any platform."""
    # Both conditions: the index holds answers alone.
    return Revision.objects.filter(parent_external_id=external_id).exclude(parent_external_id="")


def _stored(answering: Sequence[Revision]) -> dict[tuple[int, str], Parent]:
    if not answering:
        return {}
    posts = Post.objects.filter(
        platform__in={revision.post.platform_id for revision in answering},
        external_id__in={revision.parent_external_id for revision in answering},
    )
    latest = Revision.objects.filter(post__in=posts, number=F("post__latest_revision"))
    rows = latest.select_related("post__author").annotate(begin=Left("text", _LENGTH))
    columns = ("post__platform", "post__external_id", "post__erased_at", "post__author")
    authors = ("post__author__external_id", "post__author__display_name")
    return {
        (row.post.platform_id, row.post.external_id): Parent(
            external_id=row.post.external_id,
            post_id=row.post_id,
            author=row.post.author,
            text=row.begin,
            is_erased=row.post.erased_at is not None,
        )
        for row in rows.only("post", *columns, *authors)
    }


def _told(revision: Revision) -> Parent:
    return Parent(
        external_id=revision.parent_external_id,
        post_id=None,
        author=revision.parent_author,
        text=revision.parent_text,
        is_erased=False,
    )
