"""Store the links of revisions under their domains."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from moderation import prepared
from moderation.models import Revision
from moderation.operations.infrastructure import transactions
from scoring import links

_COLUMNS = ("revision_id", "name", "position", "url", "url_digest", "host")
# SQL for the reason given in sql.py. Most domains exist already: then one statement is enough.
_ADD = """
INSERT INTO moderation_postlink (revision_id, domain_id, position, url, url_digest, host, received_at)
SELECT k.revision_id, d.id, k.position, k.url, k.url_digest, k.host, %(at)s
FROM unnest(
  %(revision_id)s::bigint[], %(name)s::text[], %(position)s::int[], %(url)s::text[], %(url_digest)s::text[],
  %(host)s::text[]) AS k(revision_id, name, position, url, url_digest, host)
JOIN moderation_domain d ON d.name = k.name
-- shared_traits.py relies on this order: an index gives the first of an instant first
ORDER BY k.revision_id, k.position
RETURNING revision_id, position
"""
_ADD_DOMAINS = """
INSERT INTO moderation_domain (name, first_seen_at) SELECT unnest(%(names)s::text[]), %(at)s
ON CONFLICT (name) DO NOTHING
"""

_Row = tuple[int, str, int, str, str, str]


@transactions.required
def store(*, revisions: Sequence[Revision], at: datetime) -> None:
    """Write links and new domains of saved revisions. Call inside a transaction."""
    rows = [row for revision in revisions for row in _rows(revision)]
    new_rows = _add(rows, at=at)
    if new_rows:
        # Sorted, so that two requests with the same new domains do not deadlock.
        prepared.run(_ADD_DOMAINS, names=sorted({name for _, name, *_ in new_rows}), at=at)
        _add(new_rows, at=at)


def _rows(revision: Revision) -> list[_Row]:
    parts = links.links_in(revision.text, extra=revision.links)
    return [
        (
            revision.pk,
            part.domain or part.host,
            position,
            part.url,
            hashlib.sha256(part.url.encode()).hexdigest(),
            part.host,
        )
        for position, part in enumerate(parts)
    ]


def _add(rows: list[_Row], *, at: datetime) -> list[_Row]:
    """Write the rows whose domain is known; return the others."""
    if not rows:
        return []
    values = {name: list(column) for name, column in zip(_COLUMNS, zip(*rows, strict=True), strict=True)}
    keys = set(prepared.rows(_ADD, **values, at=at))
    return [row for row in rows if (row[0], row[2]) not in keys]
