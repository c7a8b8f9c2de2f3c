"""Accounts that look as if one hand had made them, with what people judged of their posts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from moderation.models import Author, AuthorBand, Label, Post, Revision
from moderation.queries.records import records
from scoring.resemblance import SHARED_BANDS

_SHOWN = 6
_PER_BAND = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikeAccount:
    """An account that shares several traits with another; `posts` and what people judged of them."""

    author: Author
    posts: int
    spam: int
    not_spam: int


def accounts(*, revision: Revision) -> tuple[AlikeAccount, ...]:
    """Return accounts of the platform that look like a revision's author, those most alike first.

    The revision is loaded with `post`. Of a trait that many share, only the newest accounts are looked at.
    """
    digests = records.bands_of(revision) if revision.author_snapshot else ()  # empty once erased
    if not digests:
        return ()
    newest = [
        AuthorBand.objects.filter(digest=digest)
        .order_by("-first_seen_at")
        .values_list("author_id", flat=True)[:_PER_BAND]
        for digest in digests
    ]
    shared = Counter(newest[0].union(*newest[1:], all=True) if newest[1:] else newest[0])
    del shared[revision.post.author_id]
    ids = [author_id for author_id, bands in shared.most_common() if bands >= SHARED_BANDS][: 4 * _SHOWN]
    authors = Author.objects.filter(pk__in=ids, platform=revision.post.platform_id).in_bulk()
    chosen = [authors[author_id] for author_id in ids if author_id in authors][:_SHOWN]
    return _counted(chosen)


def _counted(chosen: list[Author]) -> tuple[AlikeAccount, ...]:
    if not chosen:
        return ()
    posts = _by_author(Post.objects.filter(author__in=chosen), "author", all=Count("pk"))
    judged = _by_author(
        Label.objects.filter(post__author__in=chosen, retracted_at__isnull=True),
        "post__author",
        spam=Count("pk", filter=Q(is_spam=True)),
        not_spam=Count("pk", filter=Q(is_spam=False)),
    )
    return tuple(
        AlikeAccount(
            author=author,
            posts=posts.get(author.pk, {}).get("all", 0),
            spam=judged.get(author.pk, {}).get("spam", 0),
            not_spam=judged.get(author.pk, {}).get("not_spam", 0),
        )
        for author in chosen
    )


def _by_author(rows: QuerySet[Any], key: str, **counts: Count) -> dict[int, dict[str, int]]:
    return {row[key]: row for row in rows.order_by().values(key).annotate(**counts)}
