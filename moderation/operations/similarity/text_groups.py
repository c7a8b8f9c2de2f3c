"""Assign near-duplicate texts to similarity groups (MinHash bands)."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence

from moderation.models import SimilarityBand
from moderation.operations.infrastructure import transactions
from moderation.queries.campaigns.shared_traits import keyed

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
