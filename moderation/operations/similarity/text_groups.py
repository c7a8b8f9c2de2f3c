"""Assign near-duplicate texts to similarity groups (MinHash bands), and find accounts made by one script."""

import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from django.db import transaction

from moderation.models import Author, AuthorBand, Post, Revision, SimilarityBand
from moderation.operations.infrastructure import transactions
from moderation.queries.campaigns.shared_traits import keyed
from moderation.queries.records.records import bands_of
from scoring import similarity

_NAMESPACE = uuid.UUID("6d0a7c52-6b51-4f0e-9f9e-2f6c1f1f9b0a")


@transactions.required
def of_bands(bands: Sequence[tuple[int, ...]]) -> list[uuid.UUID]:
    """Return the similarity group of each text by its bands, and store these. Call inside a transaction.

    A band has one row however many posts share it, so the cost of a text does not grow with its campaign.
    """
    keyed_digests = {digest: keyed(digest) for of_text in bands for digest in of_text}
    known_groups = _lookup({*keyed_digests, *keyed_digests.values()})
    proposed: dict[int, uuid.UUID] = {}
    for of_text in bands:
        group = _choose(of_text, known_groups | proposed, keyed_digests)
        proposed.update(
            {digest: group for digest in of_text if digest not in known_groups and digest not in proposed}
        )
    SimilarityBand.objects.bulk_create(
        # In one order, so that two transactions with the same new bands cannot deadlock.
        [SimilarityBand(digest=digest, similarity_group=proposed[digest]) for digest in sorted(proposed)],
        ignore_conflicts=True,
    )
    # Read again: another transaction may have inserted one of these bands first; the stored row wins.
    final_groups = known_groups | (_lookup(set(proposed)) if proposed else {})
    return [_choose(of_text, final_groups, keyed_digests) for of_text in bands]


def _lookup(digests: set[int]) -> dict[int, uuid.UUID]:
    rows = SimilarityBand.objects.filter(digest__in=digests).values_list("digest", "similarity_group")
    return dict(rows)


def _choose(of_text: tuple[int, ...], known: dict[int, uuid.UUID], kept: dict[int, int]) -> uuid.UUID:
    """Return the group that most bands belong to, or a new one named after the first band.

    A post without text gets a group of its own.
    """
    if not of_text:
        return uuid.uuid4()
    votes = Counter(known[digest] for digest in of_text if digest in known)
    all_votes = votes | Counter(known[digest] for digest in map(kept.__getitem__, of_text) if digest in known)
    if all_votes:
        # Of a tie the group of posts that are not erased, then by the id, or two workers could put copies of
        # one text into two groups.
        return min(all_votes, key=lambda group: (-all_votes[group], -votes[group], group.hex))
    return uuid.uuid5(_NAMESPACE, str(min(of_text)))


def backfill(*, revisions: Sequence[Revision]) -> None:
    """Compare the revisions that were not compared yet: intake leaves that out, so that no sender waits.

    Idempotent. The revisions come with `post` selected. Erased data must not be written again: authors and
    posts are locked in the same order as in intake and erasure.
    """
    fresh = [revision for revision in revisions if revision.similarity_group is None]
    if not fresh:
        return
    with transaction.atomic():
        authors = _standing(Author, {revision.post.author_id for revision in fresh})
        posts = _standing(Post, {revision.post_id for revision in fresh})
        live = [revision for revision in fresh if revision.post_id in posts]
        bands = [similarity.bands(revision.text) if revision.text.strip() else () for revision in live]
        for revision, group in zip(live, of_bands(bands), strict=True):
            revision.similarity_group = group
        Revision.objects.bulk_update(live, ["similarity_group"])
        attributed = [revision for revision in live if revision.post.author_id in authors]
        by_arrival = sorted(attributed, key=attrgetter("received_at"))
        for at, arrived in groupby(by_arrival, key=attrgetter("received_at")):
            store_bands(revisions=list(arrived), at=at)
    for revision in fresh:
        if revision.similarity_group is None:  # erased: it has no group, and its score is not kept
            revision.similarity_group = uuid.uuid4()


def _standing(model: type[Author | Post], ids: set[int]) -> set[int]:
    rows = model._default_manager.select_for_update(no_key=True)  # noqa: SLF001 - documented
    return set(rows.filter(pk__in=ids, erased_at__isnull=True).order_by("id").values_list("pk", flat=True))


@transactions.required
def store_bands(*, revisions: Sequence[Revision], at: datetime) -> None:
    """Write the bands of the authors of saved revisions. Call inside a transaction."""
    bands = {(revision.post.author_id, digest) for revision in revisions for digest in bands_of(revision)}
    # Sorted: two transactions with the same authors take their locks in the same order, so they cannot
    # deadlock.
    AuthorBand.objects.bulk_create(
        [
            AuthorBand(author_id=author_id, digest=digest, first_seen_at=at)
            for author_id, digest in sorted(bands)
        ],
        ignore_conflicts=True,
    )
