"""Where links of revisions were seen to lead, strictly before an instant."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from moderation.models import RevisionEvidence
from moderation.models.evidence import EvidenceRole
from scoring.links import links_in

Hops = dict[tuple[int, str], tuple[str, ...]]
"""By revision and digest of the link's URL: the other hosts on the way, in order, without repetition."""


def hops(revision_ids: Collection[int], *, at: datetime) -> Hops:
    """Return the hops of these revisions' links; a link that stays on its own host is left out."""
    rows = RevisionEvidence.objects.filter(
        revision__in=revision_ids, role=EvidenceRole.LINK, evidence__fetched_at__lt=at
    ).order_by("revision_id", "evidence__fetched_at")
    # An address that was fetched in several hours has several rows: the last one read stays.
    found: Hops = {}
    for revision_id, digest, chain in rows.values_list(
        "revision", "evidence__url_digest", "evidence__chain"
    ).iterator():
        if others := passed(chain):
            found[revision_id, digest] = others
    return found


def passed(chain: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the other hosts of a chain of addresses, in order, without repetition."""
    own, *others = [_host(step["url"]) for step in chain] or [""]
    return tuple(dict.fromkeys(host for host in others if host and host != own))


def _host(url: str) -> str:
    found = links_in("", extra=[url])
    return found[0].host if found else ""
