"""What platforms tell of the posts that posts answer: kept only where the parent itself is not stored."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from moderation.models import Platform, Post
from moderation.operations.posts.incoming_post import IncomingPost


def without_stored(*, platform: Platform, posts: Sequence[IncomingPost]) -> Sequence[IncomingPost]:
    """Leave out text and author of parents that are stored here, erased ones included."""
    told = {post.parent.external_id for post in posts if post.parent and _tells(post)}
    if not told:
        return posts
    stored = Post.objects.filter(platform=platform, external_id__in=told)
    names = set(stored.values_list("external_id", flat=True))
    return [_bare(post) if post.parent and post.parent.external_id in names else post for post in posts]


def authors(posts: Sequence[IncomingPost]) -> dict[str, str]:
    """Return the display names of the parents' authors by the platform's id, "" where not told."""
    told = [post.parent for post in posts if post.parent]
    return {parent.author_external_id: parent.author_name for parent in told if parent.author_external_id}


def author_id(post: IncomingPost, ids: Mapping[str, int]) -> int | None:
    """Return our id of the parent's author, None where not told; `ids` are by the platform's id."""
    return ids.get(post.parent.author_external_id) if post.parent else None


def _tells(post: IncomingPost) -> bool:
    return post.parent is not None and bool(post.parent.text or post.parent.author_external_id)


def _bare(post: IncomingPost) -> IncomingPost:
    if post.parent is None:
        return post
    parent = dataclasses.replace(post.parent, text="", author_external_id="", author_name="")
    return dataclasses.replace(post, parent=parent)
