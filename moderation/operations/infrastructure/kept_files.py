"""Files kept by the digest of their bytes, in the store of the settings: thumbnails of pictures.

A row names a file by its digest. A file is written before the row that names it is committed, and deleted
after the last such row; `delete_strays` removes what a killed process left. Where a bucket is named, files
kept earlier in the state folder are still read and deleted there, and moved.
"""

import errno
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice

import structlog
from django.conf import settings

from moderation.operations.infrastructure.file_stores import Folder, Store, store

log = structlog.get_logger(__name__)

MOST_BYTES = 200_000
"""Of one file; a thumbnail has about 30,000."""
STRAY_AFTER = timedelta(hours=1)
"""A younger file may be one whose row is about to be committed."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT))
_AT_ONCE = 500
_MOVED_AT_ONCE = 200


class TooLarge(Exception):
    """The file has more bytes than are kept of one."""


class NoRoom(Exception):
    """The store is full; nothing of the file is left, and the same file can be kept once there is room."""


def keep(data: bytes) -> str:
    """Keep a file and return its digest in hex; a second time changes nothing.

    Once returned, the file is whole, also after a power cut. Raises TooLarge, NoRoom or OSError.
    """
    if len(data) > MOST_BYTES:
        raise TooLarge(f"{len(data)} bytes; at most {MOST_BYTES} are kept.")
    digest = hashlib.sha256(data).hexdigest()
    try:
        store().put(digest, data)
    except OSError as trouble:
        if trouble.errno in _FULL:
            raise NoRoom("No room in the store of pictures.") from trouble
        raise
    return digest


def read(digest: str) -> bytes | None:
    """Return the bytes of a file, None if it is not kept (any more). Raises OSError."""
    if not _DIGEST.fullmatch(digest):
        return None
    for place in _stores():
        data = place.get(digest)
        if data is not None:
            return data
    return None


def drop(digests: Sequence[str]) -> None:
    """Delete files; those that are gone already do not matter. Raises OSError."""
    names = [digest for digest in digests if _DIGEST.fullmatch(digest)]
    for place in _stores():
        place.delete(names)


def delete_strays(*, named: Callable[[Sequence[str]], set[str]], at: datetime) -> int:
    """Delete old files that no row names; `named` returns which of some digests rows name. Return how many.

    The digests come in order, so that `named` may lock them. Raises OSError.
    """
    deleted = sum(_delete_strays(place, named=named, at=at) for place in _stores())
    if deleted:
        log.warning("kept_files_removed", files=deleted, reason="no row names them")
    return deleted


def move() -> None:
    """Move some files of the state folder into the bucket that is named since. Raises OSError."""
    if not settings.EVIDENCE_STORE:
        return
    folder, bucket = Folder(), store()
    for file in list(islice(folder.listed(), _MOVED_AT_ONCE)):
        data = folder.get(file.name) if _DIGEST.fullmatch(file.name) else None
        if data is not None:
            bucket.put(file.name, data)
            folder.delete([file.name])


def names() -> Iterator[str]:
    """Return the digests of all files, each once. Raises OSError."""
    moved: set[str] = set()
    for place in reversed(_stores()):
        for file in place.listed():
            if _DIGEST.fullmatch(file.name) and file.name not in moved:
                yield file.name
                if isinstance(place, Folder) and settings.EVIDENCE_STORE:
                    moved.add(file.name)


def _stores() -> list[Store]:
    return [store(), Folder()] if settings.EVIDENCE_STORE else [store()]


def _delete_strays(one: Store, *, named: Callable[[Sequence[str]], set[str]], at: datetime) -> int:
    limit = (at - STRAY_AFTER).timestamp()
    digests, deleted = sorted(file.name for file in one.listed() if file.kept_at < limit), 0
    for start in range(0, len(digests), _AT_ONCE):
        some = digests[start : start + _AT_ONCE]
        live_names = named(some)
        strays = [name for name in some if name not in live_names]
        one.delete(strays)
        deleted += len(strays)
    return deleted
