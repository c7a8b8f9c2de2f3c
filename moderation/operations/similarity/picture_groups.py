"""Put pictures that are copies of one another into groups: by PDQ hashes at most 31 of 256 bits apart.

A group has the hash of its first picture. A picture joins the group with the nearest hash; if none is near,
the group nearest to its hashes when turned and mirrored: for most copies in a flood one hash is enough
instead of eight. The look-up scans nothing: of sixteen bands of sixteen bits, two near hashes have one in
which they differ by one bit at most (31 / 16 < 2), so each band is looked up as it is and with each of its
bits flipped. Only the newest groups of a band are read: thousands of pictures made with one band in common
make no look-up longer.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from moderation import prepared
from moderation.evidence import pdq
from moderation.models import PictureBand, PictureGroup, RevisionEvidence, RevisionPicture
from moderation.operations.infrastructure import advisory_locks, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.queries.campaigns.shared_traits import keyed

_BANDS, _BITS = 16, 16
LATEST = 64
"""Groups read of one band. By chance, a band leads to one group of 65,536: enough for four million."""

_KEPT_BANDS = 4
"""An erased picture has keyed bands and no hash. A copy shares so many, another picture hardly ever."""

_NEAR = """
SELECT g.id, g.hash, count(*) FROM unnest(%(digests)s::int[]) AS k(digest) CROSS JOIN LATERAL (
  SELECT x.group_id FROM moderation_pictureband x WHERE x.digest = k.digest
  ORDER BY x.group_id DESC LIMIT %(latest)s
) b JOIN moderation_picturegroup g ON g.id = b.group_id GROUP BY g.id
"""


@transactions.required
def of(facts: Mapping[str, Any] | None, *, at: datetime) -> PictureGroup | None:
    """Return the group of a picture that was read, a new one if it is like none; None without a good hash.

    Two copies that are read at once find each other. Call before any row is locked.
    """
    hashes_read = hashes(facts)
    if not hashes_read:
        return None
    advisory_locks.take(AdvisoryLock.PICTURES)
    return _nearest(hashes_read[:1]) or _nearest(hashes_read[1:]) or _new(hashes_read[0], at=at)


@transactions.required
def join(revision_ids: Collection[int]) -> set[int]:
    """Record which pictures revisions show, as far as they are read; return the revisions with a newly
    recorded picture that other posts show, too.

    Call with the posts locked.
    """
    joins = RevisionEvidence.objects.filter(
        # A group of another column than its key: only those that are there still.
        revision__in=revision_ids,
        evidence__picture_group__first_seen_at__isnull=False,
    ).order_by("revision", "evidence__picture_group")
    rows = list(
        joins.values_list(
            "revision", "evidence__picture_group", "revision__received_at", "revision__post"
        ).distinct()
    )
    if not rows:
        return set()
    pairs = set(_noted(revision_ids).values_list("revision", "group"))
    new_rows = [row for row in rows if row[:2] not in pairs]
    RevisionPicture.objects.bulk_create(
        [
            RevisionPicture(revision_id=revision, group_id=group, received_at=at)
            for revision, group, at, _ in new_rows
        ],
        ignore_conflicts=True,
    )
    posts = defaultdict(set)
    for _, group, _, post in new_rows:
        posts[group].add(post)
    # One look-up per picture, however many posts of the batch show it.
    groups = {group for group, ids in posts.items() if len(ids) > 1 or _is_shown_by_others(group, *ids)}
    return {revision for revision, group, _, _ in new_rows if group in groups}


@transactions.required
def leave(revision_ids: Collection[int]) -> None:
    """Delete what `join` recorded of revisions that are opened again, so that it is new to them then."""
    if revision_ids:
        _noted(revision_ids).delete()


def _noted(revision_ids: Collection[int]) -> QuerySet[RevisionPicture]:
    return RevisionPicture.objects.filter(revision__in=revision_ids)


@transactions.required
def forget(post_ids: Sequence[int]) -> None:
    """Forget which pictures posts show; groups that nobody shows any more go once that is committed."""
    rows = RevisionPicture.objects.filter(revision__post__in=post_ids)
    groups = sorted(set(rows.values_list("group", flat=True)))
    rows.delete()
    if groups:
        transaction.on_commit(lambda: drop_unnamed(groups), robust=True)


@transactions.required
def keep(post_ids: Collection[int]) -> None:
    """Keep which pictures erased posts show; groups that no other post shows lose their hashes."""
    rows = RevisionPicture.objects.filter(revision__post__in=post_ids)
    groups = sorted(set(rows.values_list("group", flat=True)))
    if groups:
        transaction.on_commit(lambda: _drop_hashes(groups), robust=True)


def _drop_hashes(group_ids: Sequence[int]) -> None:
    with transaction.atomic():
        advisory_locks.take(AdvisoryLock.PICTURES)
        pictures = RevisionPicture.objects.filter(
            group=OuterRef("pk"), revision__post__erased_at__isnull=True
        )
        groups = PictureGroup.objects.filter(~Exists(pictures), pk__in=group_ids).exclude(hash="")
        for group in groups:
            for band in group.bands.all():
                band.digest = _kept_digest(band.digest)
                band.save(update_fields=("digest",))
            group.hash = ""
            group.save(update_fields=("hash",))


def drop_unnamed(group_ids: Sequence[int]) -> None:
    """Delete those of some groups that no post shows."""
    with transaction.atomic():
        advisory_locks.take(AdvisoryLock.PICTURES)
        pictures = RevisionPicture.objects.filter(group=OuterRef("pk"))
        PictureGroup.objects.filter(~Exists(pictures), pk__in=group_ids).delete()


def _is_shown_by_others(group_id: int, post_id: int) -> bool:
    pictures = RevisionPicture.objects.filter(group=group_id)
    return pictures.exclude(revision__post=post_id).exists()


def hashes(facts: Mapping[str, Any] | None) -> list[str]:
    """Return a picture's hash, then those of it turned and mirrored; none where they cannot be trusted."""
    if not facts or not facts.get("pdq") or int(facts.get("pdq_quality") or 0) < pdq.TRUSTED_QUALITY:
        return []
    return [str(facts["pdq"]), *map(str, facts.get("pdq_turned") or ())]


def _nearest(hashes: Sequence[str]) -> PictureGroup | None:
    near = {digest for hash_ in hashes for digest in _near_digests(hash_)}
    rows = prepared.rows(_NEAR, digests=sorted(near.union(map(_kept_digest, near))), latest=LATEST)
    numbers = [int(hash_, 16) for hash_ in hashes]
    far = [
        (min((number ^ int(group_hash, 16)).bit_count() for number in numbers), group)
        for group, group_hash, _ in rows
        if group_hash
    ]
    nearest = min(far, default=(pdq.SAME_PICTURE + 1, 0))
    if nearest[0] <= pdq.SAME_PICTURE:
        return PictureGroup(pk=nearest[1])
    best = max(((bands, group) for group, group_hash, bands in rows if not group_hash), default=(0, 0))
    return PictureGroup(pk=best[1]) if best[0] >= _KEPT_BANDS else None


def _new(hash_: str, *, at: datetime) -> PictureGroup:
    group = PictureGroup.objects.create(hash=hash_, first_seen_at=at)
    PictureBand.objects.bulk_create([PictureBand(digest=digest, group=group) for digest in digests(hash_)])
    return group


def digests(hash_: str) -> list[int]:
    """Return the bands of a hash, each with its place."""
    return [place << _BITS | int(hash_[4 * place : 4 * place + 4], 16) for place in range(_BANDS)]


def _kept_digest(digest: int) -> int:
    """Return the keyed digest of a band, larger than any that is not keyed."""
    return 1 << 30 | keyed(digest, bits=30)


def _near_digests(hash_: str) -> Iterator[int]:
    for digest in digests(hash_):
        yield digest
        yield from (digest ^ 1 << bit for bit in range(_BITS))
