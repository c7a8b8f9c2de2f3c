"""Write down the addresses of revisions whose evidence was asked for: one row an hour, whoever posts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction

from moderation import enqueue
from moderation.evidence import addresses
from moderation.models import Evidence, EvidenceRequest, PostLink, Revision, RevisionEvidence
from moderation.models.evidence import EvidenceKind, EvidenceRole
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.evidence import browse, leads, mattering, renew
from moderation.operations.evidence.leads import Address
from moderation.operations.infrastructure import transactions
from moderation.operations.similarity import picture_groups


def run(*, revision_ids: Sequence[int], at: datetime) -> int:
    """Write down what revisions that are asked for carry, and where that leads; return how many are fresh.

    Safe to run twice: a request is opened once, and again when something leads further (`leads.again`).
    """
    with transaction.atomic():
        posts = transactions.lock_posts(revisions__in=revision_ids)
        waiting = EvidenceRequest.objects.select_for_update(skip_locked=True, of=("self",))
        waiting = waiting.filter(revision__in=revision_ids, opened_at__isnull=True).order_by("id")
        asked = waiting.filter(revision__post__in=posts).values_list("revision", flat=True)
        ours = list(asked)
        carried = carried_by(ours, as_browser=browse.wanted(ours))
        due = renew.due(ours, at=at)
        again = [one for one in carried if one.revision_id in due and one.role != EvidenceRole.MEDIA]
        fresh = write_down(carried, at=at) + write_down(again, at=at, renews=True)
    if not ours:
        return 0
    # In a transaction after that: who collects must find these revisions, or we what they collected.
    with transaction.atomic():
        posts = transactions.lock_posts(revisions__in=ours)
        ours = list(Revision.objects.filter(pk__in=ours, post__in=posts).values_list("pk", flat=True))
        fresh += write_down(leads.of(ours), at=at)
        # What was read before they came is news to their scores and campaigns: who collected it told others.
        rescore.again(sorted(picture_groups.join(ours) | mattering.unseen(ours, at=at)), at=at)
        picture_groups.leave(_close(ours, at=at))
    return len(fresh)


def _close(revision_ids: Sequence[int], *, at: datetime) -> list[int]:
    """Note that requests were opened; return those of posts that are being scored, which are looked at again
    with the score (`request.after`), or by the sweep if that worker dies.

    Their record may be frozen already, and nobody has seen yet without what.
    """
    requests = EvidenceRequest.objects.filter(revision__in=revision_ids)
    scoring = requests.filter(revision__score_state=ScoreState.SCORING).order_by("id")
    left = list(scoring.values_list("revision", flat=True))
    requests.filter(revision__in=left).update(enqueued_at=at)
    requests.exclude(revision__in=left).update(opened_at=at)
    return left


def carried_by(revision_ids: Sequence[int], *, as_browser: Collection[int]) -> list[Address]:
    """Return the addresses that revisions carry; the links of some of them to be opened as a browser, too."""
    pages = links_of(revision_ids)
    browsed = browse.of(one for one in pages if one.revision_id in as_browser)
    return [*pages, *browsed, *_media(revision_ids)]


@transactions.required
def write_down(addresses: Sequence[Address], *, at: datetime, renews: bool = False) -> list[int]:
    """Join revisions to this hour's rows of their addresses; make and enqueue the rows that are missing.

    What a revision is joined to already, `renews` in this hour, is left as it is, and so is what would be too
    many for one. Returns the ids of the new rows. Call with the posts locked against erasure.
    """
    hour = at.replace(minute=0, second=0, microsecond=0)
    addresses = _not_joined(addresses, since=hour if renews else None)
    wanted = {one.digest: one for one in reversed(addresses)}
    known = dict(_ids(wanted, hour=hour))
    missing = sorted(set(wanted) - set(known))
    # Sorted, so that two workers with the same new addresses do not deadlock.
    Evidence.objects.bulk_create(
        [_row(wanted[digest], digest=digest, hour=hour, at=at) for digest in missing], ignore_conflicts=True
    )
    known |= dict(_ids(missing, hour=hour))
    _join(addresses, known=known)
    fresh = [known[digest] for digest in missing]
    enqueue.evidence(evidence_ids=fresh)
    return fresh


@transactions.required
def join(addresses: Sequence[Address], *, known: Mapping[str, int]) -> bool:
    """Join revisions to those of their addresses whose rows are known, by digest; return whether any was new.

    Call with the posts locked against erasure.
    """
    fresh = _not_joined([one for one in addresses if one.digest in known], since=None)
    _join(fresh, known=known)
    return bool(fresh)


def _join(addresses: Sequence[Address], *, known: Mapping[str, int]) -> None:
    RevisionEvidence.objects.bulk_create(
        [
            RevisionEvidence(
                revision_id=one.revision_id,
                evidence_id=known[one.digest],
                role=one.role,
                position=one.position,
            )
            for one in addresses
        ],
        ignore_conflicts=True,
    )


def links_of(revision_ids: Sequence[int]) -> list[Address]:
    """Return the links of revisions."""
    found = PostLink.objects.filter(revision__in=revision_ids, position__lt=settings.EVIDENCE_LIMITS.links)
    return [
        Address(revision_id=link.revision_id, url=link.url, position=link.position)
        for link in found.order_by("revision_id", "position")
        if link.url
    ]


def _media(revision_ids: Sequence[int]) -> list[Address]:
    """Return the pictures that platforms sent, and those by address, after the links."""
    limits = settings.EVIDENCE_LIMITS
    sent = Revision.objects.filter(pk__in=revision_ids).exclude(media_urls=[]).order_by("pk")
    return [
        Address(
            revision_id=revision,
            url=url,
            role=EvidenceRole.MEDIA,
            kind=EvidenceKind.PICTURE,
            position=limits.links + position,
        )
        for revision, urls in sent.values_list("pk", "media_urls")
        for position, url in enumerate(addresses.of_media(str(one)) for one in urls[: limits.media])
        if url
    ]


def _not_joined(addresses: Sequence[Address], *, since: datetime | None) -> list[Address]:
    ours = RevisionEvidence.objects.filter(revision__in={one.revision_id for one in addresses})
    rows = list(ours.values_list("revision", "evidence__url_digest", "evidence__hour"))
    joined = {(revision, digest) for revision, digest, hour in rows if since is None or hour >= since}
    count = Counter(revision for revision, _, _ in rows)
    limits, left = settings.EVIDENCE_LIMITS, []
    most = limits.addresses if since is None else limits.addresses * limits.renewals
    for one in addresses:
        name = (one.revision_id, one.digest)
        if name in joined or count[one.revision_id] >= most:
            continue
        joined.add(name)
        count[one.revision_id] += 1
        left.append(one)
    return left


def _ids(digests: Iterable[str], *, hour: datetime) -> Iterable[tuple[str, int]]:
    return Evidence.objects.filter(url_digest__in=list(digests), hour=hour).values_list("url_digest", "pk")


def _row(one: Address, *, digest: str, hour: datetime, at: datetime) -> Evidence:
    return Evidence(
        url=one.url,
        url_digest=digest,
        hour=hour,
        site=leads.site(one.url)[:255],
        kind=one.kind,
        enqueued_at=at,
        since=at,
        due_at=at,
    )
