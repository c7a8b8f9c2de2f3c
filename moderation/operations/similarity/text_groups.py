"""Assign near-duplicate texts to similarity groups (MinHash bands), and find accounts made by one script."""

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import attrgetter

from django.db import IntegrityError, transaction

from moderation import prepared
from moderation.models import Author, Post, Revision, RevisionGroup
from moderation.operations.infrastructure import transactions
from moderation.queries.campaigns.shared_traits import groups_of, keyed
from moderation.queries.records.records import bands_of
from scoring import similarity

_NAMESPACE = uuid.UUID("6d0a7c52-6b51-4f0e-9f9e-2f6c1f1f9b0a")

_ADD_BANDS = """
INSERT INTO moderation_similarityband (digest, similarity_group)
SELECT * FROM unnest(%(digests)s::bigint[], %(groups)s::uuid[]) ON CONFLICT DO NOTHING
"""
_MISSING = """
SELECT k.* FROM unnest(%(authors)s::bigint[], %(digests)s::bigint[], %(seen)s::timestamptz[])
  AS k(author_id, digest, first_seen_at)
WHERE NOT EXISTS (SELECT FROM moderation_authorband b WHERE (b.author_id, b.digest) = (k.author_id, k.digest))
UNION ALL SELECT k, NULL, NULL FROM unnest(%(revisions)s::bigint[]) AS k
WHERE NOT EXISTS (SELECT FROM moderation_revisiongroup g WHERE g.revision_id = k)
"""
"""New bands of authors, and revisions without a group. Authors and posts are locked: they stay so."""


@transactions.required
def of_bands(bands: Sequence[tuple[int, ...]]) -> list[uuid.UUID]:
    """Return the similarity group of each text by its bands, and store these. Call inside a transaction.

    A band has one row however many posts share it, so the cost of a text does not grow with its campaign.
    """
    keyed_digests = {digest: keyed(digest) for of_text in bands for digest in of_text}
    known_groups = groups_of({*keyed_digests, *keyed_digests.values()})
    proposed: dict[int, uuid.UUID] = {}
    for of_text in bands:
        group = _choose(of_text, known_groups | proposed, keyed_digests)
        proposed.update(
            {digest: group for digest in of_text if digest not in known_groups and digest not in proposed}
        )
    # In one order, so that two transactions with the same new bands cannot deadlock.
    digests = sorted(proposed)
    groups = [proposed[digest] for digest in digests]
    if digests and not _are_copied(zip(digests, groups, strict=True)):
        # Another transaction inserted one of these bands first; the stored row wins.
        prepared.run(_ADD_BANDS, digests=digests, groups=groups)
        proposed = groups_of(digests)
    return [_choose(of_text, known_groups | proposed, keyed_digests) for of_text in bands]


def _are_copied(bands: Iterable[tuple[int, uuid.UUID]]) -> bool:
    """Store new bands unless one of them is there: COPY writes a third of the log that INSERT does."""
    try:
        with transaction.atomic():
            prepared.copy("moderation_similarityband (digest, similarity_group)", bands)
    except IntegrityError:
        return False
    return True


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
            grouped(revision, group)
        _store(live, authors=authors)
    for revision in fresh:
        if revision.similarity_group is None:  # erased: it has no group, and its score is not kept
            grouped(revision, uuid.uuid4())


def grouped(revision: Revision, similarity_group: uuid.UUID) -> RevisionGroup:
    """Put a revision into a group, unsaved."""
    return RevisionGroup(  # becomes its `grouped`
        revision=revision,
        post_id=revision.post_id,
        similarity_group=similarity_group,
        received_at=revision.received_at,
    )


def _standing(model: type[Author | Post], ids: set[int]) -> set[int]:
    rows = model._default_manager.select_for_update(no_key=True)  # noqa: SLF001 - documented
    return set(rows.filter(pk__in=ids, erased_at__isnull=True).order_by("id").values_list("pk", flat=True))


def _store(revisions: Sequence[Revision], *, authors: set[int]) -> None:
    """Write the groups of revisions, and the bands of these authors as they were first seen."""
    first_seen: dict[tuple[int, int], datetime] = {}
    for revision in sorted(revisions, key=attrgetter("received_at")):
        if revision.post.author_id in authors:
            for digest in bands_of(revision):
                first_seen.setdefault((revision.post.author_id, digest), revision.received_at)
    # Sorted: two transactions with the same authors take their locks in the same order, so they cannot
    # deadlock.
    bands = sorted(first_seen)
    missing = prepared.rows(
        _MISSING,
        revisions=[revision.pk for revision in revisions],
        authors=[author for author, _ in bands],
        digests=[digest for _, digest in bands],
        seen=[first_seen[band] for band in bands],
    )
    ungrouped = {revision for revision, digest, _ in missing if digest is None}
    prepared.save([revision.grouped for revision in revisions if revision.pk in ungrouped])
    if new_bands := [row for row in missing if row[1] is not None]:
        prepared.copy("moderation_authorband (author_id, digest, first_seen_at)", new_bands)
