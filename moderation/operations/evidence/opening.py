"""Ask for evidence with a score, and record the addresses of revisions: one row per address and hour."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction

from moderation import enqueue, prepared
from moderation.evidence import addresses
from moderation.models import Evidence, EvidenceRequest, PostLink, Revision, RevisionEvidence, Score
from moderation.models.evidence import EvidenceKind, EvidenceRole
from moderation.models.platforms import Collecting
from moderation.models.posts import ScoreState
from moderation.models.scores import RouteChoice
from moderation.operations.evidence import browse, leads, mattering, renew
from moderation.operations.evidence.leads import Address
from moderation.operations.infrastructure import transactions
from moderation.operations.similarity import picture_groups

_IDS = "SELECT url_digest, id FROM moderation_evidence WHERE hour = %(hour)s AND url_digest = ANY(%(names)s)"


def run(*, revision_ids: Sequence[int], at: datetime) -> int:
    """Record the addresses of requested revisions and those that they lead to; return how many are new.

    Safe to run twice: a request is opened once, and again where it was asked for anew (`leads.reopen`).
    """
    with transaction.atomic():
        posts = transactions.lock_posts(revisions__in=revision_ids)
        requests = EvidenceRequest.objects.select_for_update(skip_locked=True, of=("self",))
        requests = requests.filter(revision__in=revision_ids, opened_at__isnull=True).order_by("id")
        ids = requests.filter(revision__post__in=posts).values_list("revision", flat=True)
        ready_ids = list(ids)
        own_addresses = carried_by(ready_ids, as_browser=browse.wanted(ready_ids))
        due_ids = renew.due(ready_ids, at=at)
        renewals = [
            address
            for address in own_addresses
            if address.revision_id in due_ids and address.role != EvidenceRole.MEDIA
        ]
        fresh = write_down(own_addresses, at=at) + write_down(renewals, at=at, renews=True)
    if not ready_ids:
        return 0
    # In a second transaction: either a collector finds these revisions, or we find its result.
    with transaction.atomic():
        posts = transactions.lock_posts(revisions__in=ready_ids)
        ready_ids = list(
            Revision.objects.filter(pk__in=ready_ids, post__in=posts).values_list("pk", flat=True)
        )
        fresh += write_down(leads.of(ready_ids), at=at)
        # Evidence that was read before these revisions came is new to their scores and campaigns.
        mattering.score_again(picture_groups.join(ready_ids) | mattering.unseen(ready_ids, at=at), at=at)
        picture_groups.leave(_close(ready_ids, at=at))
    return len(fresh)


def _close(revision_ids: Sequence[int], *, at: datetime) -> list[int]:
    """Mark requests as opened; return the revisions that are being scored, whose requests stay open.

    Their record may be frozen already: `request`, or the sweep if that worker dies, opens them again.
    """
    requests = EvidenceRequest.objects.filter(revision__in=revision_ids)
    scoring = requests.filter(revision__scoring__state=ScoreState.SCORING).order_by("id")
    ids = list(scoring.values_list("revision", flat=True))
    requests.filter(revision__in=ids).update(enqueued_at=at)
    requests.exclude(revision__in=ids).update(opened_at=at)
    return ids


def carried_by(revision_ids: Sequence[int], *, as_browser: Collection[int]) -> list[Address]:
    """Return the addresses in revisions; links of those in `as_browser` come once more, as a browser."""
    pages = links_of(revision_ids)
    browser_pages = browse.of(address for address in pages if address.revision_id in as_browser)
    return [*pages, *browser_pages, *_media(revision_ids)]


@transactions.required
def write_down(addresses: Sequence[Address], *, at: datetime, renews: bool = False) -> list[int]:
    """Join revisions to this hour's rows of their addresses; make and enqueue the rows that are missing.

    Skips addresses that a revision is joined to already (with `renews`, in this hour) or that exceed its
    limit. Returns the ids of the new rows. Call with the posts locked against erasure.
    """
    hour = at.replace(minute=0, second=0, microsecond=0)
    addresses = _not_joined(addresses, since=hour if renews else None)
    by_digest = {address.digest: address for address in reversed(addresses)}
    ids = dict(_ids(by_digest, hour=hour))
    digests = sorted(set(by_digest) - set(ids))
    # Sorted, so that two workers with the same new addresses do not deadlock.
    Evidence.objects.bulk_create(
        [_row(by_digest[digest], digest=digest, hour=hour, at=at) for digest in digests],
        ignore_conflicts=True,
    )
    ids |= dict(_ids(digests, hour=hour))
    _join(addresses, known=ids)
    fresh = [ids[digest] for digest in digests]
    enqueue.evidence(evidence_ids=fresh)
    return fresh


@transactions.required
def join(addresses: Sequence[Address], *, known: Mapping[str, int]) -> bool:
    """Join revisions to those of their addresses whose rows are known, by digest; return whether any was new.

    Call with the posts locked against erasure.
    """
    fresh = _not_joined([address for address in addresses if address.digest in known], since=None)
    _join(fresh, known=known)
    return bool(fresh)


def _join(addresses: Sequence[Address], *, known: Mapping[str, int]) -> None:
    RevisionEvidence.objects.bulk_create(
        [
            RevisionEvidence(
                revision_id=address.revision_id,
                evidence_id=known[address.digest],
                role=address.role,
                position=address.position,
            )
            for address in addresses
        ],
        ignore_conflicts=True,
    )


def links_of(revision_ids: Sequence[int]) -> list[Address]:
    """Return the links of revisions."""
    links = PostLink.objects.filter(revision__in=revision_ids, position__lt=settings.EVIDENCE_LIMITS.links)
    return [
        Address(revision_id=link.revision_id, url=link.url, position=link.position)
        for link in links.order_by("revision_id", "position")
        if link.url
    ]


def _media(revision_ids: Sequence[int]) -> list[Address]:
    """Return the pictures that platforms sent, and those by address, after the links."""
    limits = settings.EVIDENCE_LIMITS
    revisions = Revision.objects.filter(pk__in=revision_ids).exclude(media_urls=[]).order_by("pk")
    return [
        Address(
            revision_id=revision,
            url=url,
            role=EvidenceRole.MEDIA,
            kind=EvidenceKind.PICTURE,
            position=limits.links + position,
        )
        for revision, urls in revisions.values_list("pk", "media_urls")
        for position, url in enumerate(addresses.of_media(str(address)) for address in urls[: limits.media])
        if url
    ]


def _not_joined(addresses: Sequence[Address], *, since: datetime | None) -> list[Address]:
    joins = RevisionEvidence.objects.filter(revision__in={address.revision_id for address in addresses})
    rows = list(joins.values_list("revision", "evidence__url_digest", "evidence__hour"))
    pairs = {(revision, digest) for revision, digest, hour in rows if since is None or hour >= since}
    count = Counter(revision for revision, _, _ in rows)
    limits, fresh = settings.EVIDENCE_LIMITS, []
    most = limits.addresses if since is None else limits.addresses * limits.renewals
    for address in addresses:
        name = (address.revision_id, address.digest)
        if name in pairs or count[address.revision_id] >= most:
            continue
        pairs.add(name)
        count[address.revision_id] += 1
        fresh.append(address)
    return fresh


def _ids(digests: Iterable[str], *, hour: datetime) -> Iterable[tuple[str, int]]:
    return prepared.rows(_IDS, names=list(digests), hour=hour)


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


@transactions.required
def request(scores: Sequence[Score], *, at: datetime) -> None:
    """Request the evidence of these scores' revisions, once for each.

    Earlier requests that are still unopened are enqueued again. If no platform collects evidence, it costs
    nothing. Call inside the transaction that stores the scores.
    """
    candidates = [
        score
        for score in scores
        if score.revision.post.platform.collects_evidence != Collecting.OFF
        and (score.record.get("links") or score.revision.media_urls)
    ]
    if not candidates:
        return
    requests = EvidenceRequest.objects.filter(revision__in=[score.revision_id for score in candidates])
    openings = dict(requests.values_list("revision", "opened_at"))
    wanted_ids = {
        score.revision_id
        for score in candidates
        if score.route == RouteChoice.REVIEW
        or score.revision.post.platform.collects_evidence == Collecting.ON
    }
    fresh = sorted(wanted_ids - openings.keys())
    EvidenceRequest.objects.bulk_create(
        [EvidenceRequest(revision_id=pk, enqueued_at=at, since=at) for pk in fresh], ignore_conflicts=True
    )
    # They waited for this score: only now is known which evidence it lacks.
    unopened = [pk for pk, opened_at in openings.items() if opened_at is None]
    enqueue.evidence_of(revision_ids=[*fresh, *sorted(unopened)])
