"""Store the links of revisions under their domains."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from moderation.models import Domain, PostLink, Revision
from scoring import links


def store(*, revisions: Sequence[Revision], at: datetime) -> None:
    """Write links and new domains of saved revisions. Call inside a transaction."""
    found = {revision.pk: links.links_in(revision.text, extra=revision.links) for revision in revisions}
    names = sorted({part.domain or part.host for parts in found.values() for part in parts})
    if not names:
        return
    domains = _domains(names, at=at)
    PostLink.objects.bulk_create(
        [
            PostLink(
                revision=revision,
                domain_id=domains[part.domain or part.host],
                position=position,
                url=part.url,
                url_digest=hashlib.sha256(part.url.encode()).hexdigest(),
                host=part.host,
                received_at=at,
            )
            for revision in revisions
            for position, part in enumerate(found[revision.pk])
        ]
    )


def _domains(names: list[str], *, at: datetime) -> dict[str, int]:
    """Return the ids of domains, sorted by name; most have been seen before, and then nothing is written."""
    known = dict(Domain.objects.filter(name__in=names).values_list("name", "pk"))
    new = [Domain(name=name, first_seen_at=at) for name in names if name not in known]
    if new:
        Domain.objects.bulk_create(new, ignore_conflicts=True)
        added = Domain.objects.filter(name__in=[domain.name for domain in new])
        known |= dict(added.values_list("name", "pk"))
    return known
