"""Where evidence leads in turn: the preview picture of a page, the links in the codes of a picture.

A link's page has a preview picture, and any picture codes; a code's page is the end.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from moderation import enqueue
from moderation.models import Evidence, EvidenceRequest, RevisionEvidence
from moderation.models.evidence import OPEN, EvidenceKind, EvidenceRole
from moderation.operations.infrastructure import transactions
from scoring import links


def digest(url: str, *, kind: str) -> str:
    """Return the digest of an address in rows; opened as a browser, it has another."""
    name = f"browser {url}" if kind == EvidenceKind.BROWSER else url
    return hashlib.sha256(name.encode()).hexdigest()


def site(url: str) -> str:
    """Return the registrable domain of an address, else its host, "" if it is no web address."""
    parsed = links.links_in("", extra=[url])
    return (parsed[0].domain or parsed[0].host) if parsed else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address that a revision carries, and how."""

    revision_id: int
    url: str
    role: EvidenceRole = EvidenceRole.LINK
    kind: EvidenceKind = EvidenceKind.PAGE
    position: int = 0

    @property
    def digest(self) -> str:
        """Return its name in rows."""
        return digest(self.url, kind=self.kind)


@transactions.required
def of(revision_ids: Iterable[int]) -> list[Address]:
    """Return the addresses to which the evidence of revisions leads, as far as it is known.

    Their evidence is locked until the transaction ends: what is read later finds these revisions.
    Call with the posts locked.
    """
    joins = RevisionEvidence.objects.filter(revision__in=revision_ids)
    rows = Evidence.objects.select_for_update(no_key=True).filter(pk__in=joins.values("evidence"))
    ended = [pk for pk, state in rows.order_by("id").values_list("pk", "state") if state not in OPEN]
    return onward(joins.filter(evidence__in=ended))


def known(revision_ids: Iterable[int]) -> list[Address]:
    """Return what `of` returns, without waiting for locked evidence: what is read later is left out."""
    joins = RevisionEvidence.objects.filter(revision__in=revision_ids)
    return onward(joins.exclude(evidence__state__in=OPEN))


def onward(joined: QuerySet[RevisionEvidence]) -> list[Address]:
    """Return the addresses to which what revisions are joined to leads."""
    leading = joined.exclude(role=EvidenceRole.CODE).order_by("position", "id")
    rows = leading.values_list(
        "revision", "role", "position", "evidence__facts__preview_url", "evidence__facts__codes"
    )
    return [
        address
        for revision, role, position, preview_url, codes in rows
        for address in _from(revision, role, position, preview_url=preview_url, codes=codes)
    ]


@transactions.required
def reopen(revision_ids: Iterable[int], *, at: datetime) -> None:
    """Reopen the requests of revisions, for addresses that were not known before, or to fetch anew."""
    requests = EvidenceRequest.objects.filter(revision__in=revision_ids, opened_at__isnull=False)
    ids = list(requests.order_by("id").values_list("revision", flat=True))
    requests.update(opened_at=None, enqueued_at=at, since=at)
    enqueue.evidence_of(revision_ids=ids)


def _from(
    revision: int, role: str, position: int, *, preview_url: str | None, codes: Sequence[Any] | None
) -> Iterator[Address]:
    if preview_url and role == EvidenceRole.LINK:
        yield Address(
            revision_id=revision,
            url=preview_url,
            role=EvidenceRole.PREVIEW,
            kind=EvidenceKind.PICTURE,
            position=position,
        )
    text = "\n".join(str(code.get("text", "")) for code in codes or ())
    for link in links.links_in(text)[: settings.EVIDENCE_LIMITS.codes]:
        yield Address(revision_id=revision, url=link.url, role=EvidenceRole.CODE, position=position)
