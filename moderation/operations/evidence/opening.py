"""Write down the addresses of revisions whose evidence was asked for: one row an hour, whoever posts it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction

from moderation import enqueue
from moderation.models import Evidence, EvidenceRequest, PostLink, RevisionEvidence
from moderation.models.evidence import EvidenceKind, EvidenceRole
from moderation.operations.infrastructure import erasure_locks, transactions
from scoring import links


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address that a revision carries, and how."""

    revision_id: int
    url: str
    role: EvidenceRole = EvidenceRole.LINK
    kind: EvidenceKind = EvidenceKind.PAGE
    position: int = 0


def run(*, revision_ids: Sequence[int], at: datetime) -> int:
    """Write down the links of revisions that are asked for; return how many are to be fetched.

    Safe to run twice: a request is opened once.
    """
    with transaction.atomic():
        posts = erasure_locks.posts(revisions__in=revision_ids)
        waiting = EvidenceRequest.objects.select_for_update(skip_locked=True, of=("self",))
        waiting = waiting.filter(revision__in=revision_ids, opened_at__isnull=True).order_by("id")
        opened = list(waiting.values_list("pk", "revision", "revision__post"))
        ours = [revision for _, revision, post in opened if post in posts]
        found = PostLink.objects.filter(revision__in=ours, position__lt=settings.EVIDENCE_LIMITS.links)
        fresh = write_down(
            [
                Address(revision_id=link.revision_id, url=link.url, position=link.position)
                for link in found.order_by("revision_id", "position")
                if link.url
            ],
            at=at,
        )
        EvidenceRequest.objects.filter(pk__in=[pk for pk, *_ in opened]).update(opened_at=at)
    return len(fresh)


@transactions.required
def write_down(addresses: Sequence[Address], *, at: datetime) -> list[int]:
    """Join revisions to this hour's rows of their addresses; make and enqueue the rows that are missing.

    Returns the ids of those. Call with the posts locked against erasure.
    """
    hour = at.replace(minute=0, second=0, microsecond=0)
    wanted = {_digest(one.url): one for one in addresses}
    known = dict(_ids(wanted, hour=hour))
    missing = sorted(set(wanted) - set(known))
    # Sorted, so that two workers with the same new addresses do not deadlock.
    Evidence.objects.bulk_create(
        [_row(wanted[digest], digest=digest, hour=hour, at=at) for digest in missing], ignore_conflicts=True
    )
    known |= dict(_ids(missing, hour=hour))
    RevisionEvidence.objects.bulk_create(
        [
            RevisionEvidence(
                revision_id=one.revision_id,
                evidence_id=known[_digest(one.url)],
                role=one.role,
                position=one.position,
            )
            for one in addresses
        ],
        ignore_conflicts=True,
    )
    fresh = [known[digest] for digest in missing]
    enqueue.evidence(evidence_ids=fresh)
    return fresh


def _digest(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()


def _ids(digests: Iterable[str], *, hour: datetime) -> Iterable[tuple[str, int]]:
    return Evidence.objects.filter(url_digest__in=list(digests), hour=hour).values_list("url_digest", "pk")


def _row(one: Address, *, digest: str, hour: datetime, at: datetime) -> Evidence:
    found = links.links_in("", extra=[one.url])
    site = (found[0].domain or found[0].host) if found else ""
    return Evidence(
        url=one.url,
        url_digest=digest,
        hour=hour,
        site=site[:255],
        kind=one.kind,
        enqueued_at=at,
        due_at=at,
    )
