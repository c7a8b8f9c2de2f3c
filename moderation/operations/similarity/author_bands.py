"""Remember by which traits an account could be recognised among accounts that a script made."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from moderation.models import AuthorBand, Revision
from moderation.operations.infrastructure import transactions
from moderation.queries.records.records import bands_of


@transactions.required
def store(*, revisions: Sequence[Revision], at: datetime) -> None:
    """Write the bands that saved revisions show of their authors. Call inside a transaction."""
    bands = {(revision.post.author_id, digest) for revision in revisions for digest in bands_of(revision)}
    # Sorted, so that two transactions with the same authors take their locks in the same order.
    AuthorBand.objects.bulk_create(
        [
            AuthorBand(author_id=author_id, digest=digest, first_seen_at=at)
            for author_id, digest in sorted(bands)
        ],
        ignore_conflicts=True,
    )
