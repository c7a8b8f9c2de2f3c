"""Find out what new revisions share with earlier ones: similar texts, accounts that one script seems to make.

What ingest left out is done before scoring: a sender need not wait for it.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from django.db import transaction

from moderation.models import Author, Post, Revision
from moderation.operations.infrastructure import transactions
from moderation.operations.similarity import author_bands, text_groups


@transactions.required
def group(*, revisions: Sequence[Revision]) -> None:
    """Set the similarity group of each, unsaved. Call inside the transaction that locked their posts."""
    groups = text_groups.groups([revision.text for revision in revisions])
    for revision, found in zip(revisions, groups, strict=True):
        revision.similarity_group = found


def missing(*, revisions: Sequence[Revision]) -> None:
    """Compare those of the revisions that nobody has compared yet. Safe to run twice.

    The revisions come with `post` selected. What was erased meanwhile must not be written again: authors and
    posts are locked as ingest and erasure lock them, in that order.
    """
    left = [revision for revision in revisions if revision.similarity_group is None]
    if not left:
        return
    with transaction.atomic():
        authors = _standing(Author, {revision.post.author_id for revision in left})
        posts = _standing(Post, {revision.post_id for revision in left})
        there = [revision for revision in left if revision.post_id in posts]
        group(revisions=there)
        Revision.objects.bulk_update(there, ["similarity_group"])
        known = [revision for revision in there if revision.post.author_id in authors]
        by_arrival = sorted(known, key=attrgetter("received_at"))
        for at, arrived in groupby(by_arrival, key=attrgetter("received_at")):
            author_bands.store(revisions=list(arrived), at=at)
    for revision in left:
        if revision.similarity_group is None:  # erased: it resembles nothing, and its score is not kept
            revision.similarity_group = uuid.uuid4()


def _standing(model: type[Author | Post], ids: set[int]) -> set[int]:
    rows = model._default_manager.select_for_update(no_key=True)  # noqa: SLF001 - documented
    return set(rows.filter(pk__in=ids, erased_at__isnull=True).order_by("id").values_list("pk", flat=True))
