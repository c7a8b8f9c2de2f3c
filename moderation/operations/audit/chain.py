"""Chain the audit entries by hashes, and verify the chain.

Chaining entries as they are written would serialise all transactions. A task does it a few seconds later and
logs the head, with which a later verification compares.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from moderation.models import AuditEntry, AuditLink
from moderation.operations.infrastructure import advisory_locks
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock

log = structlog.get_logger(__name__)

GENESIS = "0" * 64
BATCH = 5_000
_LATE = 100_000
"""How far behind the newest sealed entry each run looks for late ones; `seal_late` finds older ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The last link: its number, from 1, and its hash in hex. Number 0 stands for the empty chain."""

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


class Broken(Exception):
    """The chain does not hold; the message names the first broken entry."""


def seal(*, at: datetime) -> int:
    """Add newly committed entries to the chain; return how many. Safe to run concurrently."""
    unsealed = _unsealed()
    return _seal(unsealed, at=at) if unsealed.exists() else 0


def seal_late(*, at: datetime) -> int:
    """Add the entries whose transactions committed very late: this looks through the whole log."""
    return _seal(_without_link().order_by("pk"), at=at)


def _seal(entries: QuerySet[AuditEntry], *, at: datetime) -> int:
    with transaction.atomic():
        advisory_locks.take(AdvisoryLock.AUDIT_CHAIN)
        end = head()
        links = []
        # Read after the lock is taken: no other worker seals one of them in between.
        for entry in entries[:BATCH]:
            number = end.number + 1
            end = Head(number=number, hash=_hash(end.hash, number=number, entry=entry))
            links.append(AuditLink(number=number, entry_id=entry.pk, hash=end.hash, sealed_at=at))
        AuditLink.objects.bulk_create(links)
    if links:
        # The log is kept elsewhere than the database: what is published here cannot be rewritten there.
        log.info("audit_sealed", entries=len(links), head=str(end))
    return len(links)


def head() -> Head:
    """Return the end of the chain, to be kept outside the database."""
    link = AuditLink.objects.order_by("-number").first()
    return Head(number=link.number, hash=link.hash) if link else Head(number=0, hash=GENESIS)


def verify(*, published: Head | None = None) -> Head:
    """Walk the whole chain, compare it with a head that was published before, and return the present head.

    Raises Broken.
    """
    end = Head(number=0, hash=GENESIS)
    for link, entry in _linked():
        if link.number != end.number + 1:
            raise Broken(f"Link {end.number + 1} is missing.")
        if entry is None:
            raise Broken(f"Entry {link.entry_id}, link {link.number}, was deleted.")
        if link.hash != _hash(end.hash, number=link.number, entry=entry):
            raise Broken(f"Entry {link.entry_id}, link {link.number}, was changed.")
        end = Head(number=link.number, hash=link.hash)
        if published is not None and link.number == published.number and link.hash != published.hash:
            raise Broken(f"Link {link.number} is not the published one: the chain was written anew.")
    if published is not None and end.number < published.number:
        raise Broken(f"The chain ends at link {end.number}; the published head is {published.number}.")
    return end


def count_unsealed() -> int:
    """Return how many entries are not in the chain yet."""
    return _without_link().count()


def _without_link() -> QuerySet[AuditEntry]:
    return AuditEntry.objects.exclude(Exists(AuditLink.objects.filter(entry_id=OuterRef("pk"))))


def _unsealed() -> QuerySet[AuditEntry]:
    newest = AuditLink.objects.order_by("-entry_id").values_list("entry_id", flat=True).first() or 0
    return _without_link().filter(pk__gt=newest - _LATE).order_by("pk")


def _linked() -> Iterator[tuple[AuditLink, AuditEntry | None]]:
    """Yield each link with its entry, in the order of the chain, a batch at a time."""
    number = 0
    while links := list(AuditLink.objects.filter(number__gt=number).order_by("number")[:BATCH]):
        entries = AuditEntry.objects.in_bulk([link.entry_id for link in links])
        for link in links:
            yield link, entries.get(link.entry_id)
        number = links[-1].number


def _hash(previous: str, *, number: int, entry: AuditEntry) -> str:
    fields = {
        "number": number,
        "id": entry.pk,
        "at": entry.at.astimezone(UTC).isoformat(timespec="microseconds"),
        "actor": entry.actor_id,
        "action": entry.action,
        "subject_kind": entry.subject_kind,
        "subject_id": entry.subject_id,
        "details": entry.details,
    }
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(f"{previous}\n{canonical}".encode()).hexdigest()
