"""Thumbnails of pictures: a file for each digest, kept before the row that names it, dropped after the last.

If the store is full or does not answer, files wait in the database.

Two rows may name one file. `keep` holds the lock of its digest until the row is committed, and a deletion
looks for rows under the same lock: so no file is dropped whose row is about to be committed.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import structlog
from django.db import transaction

from moderation.models import Evidence, RevisionEvidence, UnkeptFile
from moderation.operations.evidence import sent_pictures
from moderation.operations.infrastructure import advisory_locks, kept_files, transactions
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock

log = structlog.get_logger(__name__)

CONTENT_TYPE = "image/webp"
"""Of every kept file: all of them are written from pixels."""

MOST_UNKEPT = 20_000
"""Files that wait in the database for a store, of about 30,000 bytes each; those after them are not kept."""

_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Facts without the bytes of a picture; its digest, or in words why there is none."""

    facts: dict[str, Any] | None
    digest: str = ""
    trouble: str = ""


@transactions.required
def keep(facts: Mapping[str, Any] | None, *, at: datetime) -> Kept:
    """Keep the thumbnail of what was read, if it has one, until the row that names it is committed.

    What the store cannot take now waits in the database (`bring`). Call before any row is locked.
    """
    if not facts or "thumbnail" not in facts:
        return Kept(facts=dict(facts) if facts else None)
    rest = {name: fact for name, fact in facts.items() if name != "thumbnail"}
    data = base64.b64decode(facts["thumbnail"])
    digest = sha256(data).hexdigest()
    _lock([digest])
    try:
        return Kept(facts=rest, digest=kept_files.keep(data))
    except kept_files.TooLarge:
        log.warning("thumbnail_not_kept", reason="too large")
        return Kept(facts=rest, trouble="thumbnail not kept: too large")
    except (kept_files.NoRoom, OSError) as failed:
        reason = _reason(failed)
    if UnkeptFile.objects.count() >= MOST_UNKEPT:
        log.error("thumbnail_not_kept", reason=reason)
        return Kept(facts=rest, trouble=f"thumbnail not kept: {reason}, and too many wait")
    log.warning("thumbnail_waits", reason=reason)
    UnkeptFile.objects.bulk_create([UnkeptFile(digest=digest, data=data, since=at)], ignore_conflicts=True)
    return Kept(facts=rest, digest=digest, trouble=f"thumbnail waits: {reason}")


def text_of_copy(facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what was read in the very same file, None if nothing was: one alike may have other text."""
    if "thumbnail" not in facts:
        return None
    digest = sha256(base64.b64decode(facts["thumbnail"])).hexdigest()
    # A flood of files that only look the same has one digest: the latest tell whether one was repeated.
    alike = Evidence.objects.filter(thumbnail=digest).order_by("-id").values("pk")[:_AT_ONCE]
    copies = Evidence.objects.filter(pk__in=alike, facts__sha256=facts["sha256"])
    texts = copies.exclude(facts__text_engine="").order_by().values_list("facts__text", "facts__text_engine")
    return next(({"text": text, "text_engine": engine} for text, engine in texts[:1]), None)


def bring() -> int:
    """Bring files that wait in the database into the store, the oldest first; return how many.

    Safe to run twice. Ends with the first that the store does not take.
    """
    digests = UnkeptFile.objects.order_by("since", "digest").values_list("digest", flat=True)
    count = 0
    for digest in list(digests[:_AT_ONCE]):
        try:
            with transaction.atomic():
                count += _bring(digest)
        except (kept_files.NoRoom, OSError) as failed:
            log.warning("thumbnails_wait", reason=_reason(failed))
            break
    return count


def of_post(*, post_id: int, digest: str) -> bytes | None:
    """Return a thumbnail that a post carries, None if it carries none of this digest or the file is gone.

    Raises OSError.
    """
    joins = RevisionEvidence.objects.filter(
        revision__post=post_id, revision__post__erased_at=None, evidence__thumbnail=digest
    )
    if not digest or not joins.exists():
        return None
    data = _waiting(digest) or kept_files.read(digest)
    return data if data is not None and data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def drop_unnamed(digests: Sequence[str]) -> None:
    """Delete the files that no row names any more. Call after the rows' deletion is committed.

    What cannot be deleted now is left to the sweep.
    """
    ordered = sorted(set(digests))
    for start in range(0, len(ordered), _AT_ONCE):
        with transaction.atomic():
            some = ordered[start : start + _AT_ONCE]
            live = _named(some)
            UnkeptFile.objects.filter(digest__in=set(some) - live).delete()
            try:
                kept_files.drop([digest for digest in some if digest not in live])
            except OSError as failed:
                log.warning("thumbnails_not_dropped", reason=str(failed))


def sweep(*, at: datetime) -> int:
    """Drop old pictures of posts, and files that no row names: what a killed process left. Return how many.

    Files of the state folder are moved first, if a bucket is named since. Raises OSError.
    """
    sent_pictures.drop_old(at=at)
    kept_files.move()
    with transaction.atomic():
        return kept_files.delete_strays(named=_named, at=at)


def _bring(digest: str) -> int:
    _lock([digest])
    data = _waiting(digest)
    if data is None:
        return 0
    if Evidence.objects.filter(thumbnail=digest).exists():
        kept_files.keep(data)
    UnkeptFile.objects.filter(digest=digest).delete()
    return 1


def _waiting(digest: str) -> bytes | None:
    data = UnkeptFile.objects.filter(digest=digest).values_list("data", flat=True).first()
    return None if data is None else bytes(data)


def _reason(failed: Exception) -> str:
    """Say why in a few words: the row's detail is for operators."""
    if isinstance(failed, kept_files.NoRoom):
        return "no room in the store"
    return str(getattr(failed, "strerror", None) or failed or type(failed).__name__)[:200]


def _named(digests: Sequence[str]) -> set[str]:
    """Return which digests rows name. The others stay locked until the transaction ends."""
    rows = Evidence.objects.exclude(thumbnail="")
    live = set(rows.filter(thumbnail__in=digests).values_list("thumbnail", flat=True))
    unnamed = [digest for digest in digests if digest not in live]
    _lock(unnamed)
    # Asked again: until the lock was there, a row could be committed.
    return live | set(rows.filter(thumbnail__in=unnamed).values_list("thumbnail", flat=True))


def _lock(digests: Sequence[str]) -> None:
    # The number of a lock has 32 bits; two digests of one number only wait for each other.
    for number in sorted({int(digest[:7], 16) for digest in digests if len(digest) == 64}):
        advisory_locks.take(AdvisoryLock.THUMBNAIL, subject_id=number)
