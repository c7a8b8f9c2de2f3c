"""Files kept by the digest of their bytes, in the state folder: thumbnails of pictures.

A row names a file by its digest. A file is written before the row that names it is committed, and deleted
after the last one is gone; what a killed process left between the two, `delete_strays` finds.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import structlog
from django.conf import settings

log = structlog.get_logger(__name__)

MOST_BYTES = 200_000
"""Of one file; a thumbnail has about 10,000."""
STRAY_AFTER = timedelta(hours=1)
"""A younger file may be one whose row is about to be committed."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT))
_AT_ONCE = 500


class TooLarge(Exception):
    """The file has more bytes than are kept of one."""


class NoRoom(Exception):
    """The disk is full; nothing of the file is left, and the same file can be kept once there is room."""


def keep(data: bytes) -> str:
    """Keep a file and return its digest in hex; a second time changes nothing.

    Once returned, the file is whole, also after a power cut. Raises TooLarge, NoRoom or OSError.
    """
    if len(data) > MOST_BYTES:
        raise TooLarge(f"{len(data)} bytes; at most {MOST_BYTES} are kept.")
    digest = hashlib.sha256(data).hexdigest()
    place = _place(digest)
    with suppress(FileNotFoundError):
        os.utime(place)  # somebody names it again: no stray for another hour
        return digest
    try:
        _write(place, data)
    except OSError as trouble:
        if trouble.errno in _FULL:
            raise NoRoom(f"No room in {settings.EVIDENCE_DIR}.") from trouble
        raise
    return digest


def read(digest: str) -> bytes | None:
    """Return the bytes of a file, None if it is not kept (any more)."""
    if not _DIGEST.fullmatch(digest):
        return None
    with suppress(FileNotFoundError):
        return _place(digest).read_bytes()
    return None


def drop(digests: Sequence[str]) -> None:
    """Delete files; those that are gone already do not matter. Raises OSError."""
    for digest in filter(_DIGEST.fullmatch, digests):
        _place(digest).unlink(missing_ok=True)


def delete_strays(*, named: Callable[[Sequence[str]], set[str]], at: datetime) -> int:
    """Delete old files that no row names; `named` returns which of some digests rows name. Return how many.

    The digests come in order, so that `named` may lock them. Raises OSError.
    """
    old, deleted = sorted((path for path in files() if _is_old(path, at=at)), key=lambda path: path.name), 0
    for start in range(0, len(old), _AT_ONCE):
        some = old[start : start + _AT_ONCE]
        wanted = named([path.name for path in some])
        strays = [path for path in some if path.name not in wanted]
        for path in strays:
            path.unlink(missing_ok=True)
        deleted += len(strays)
    if deleted:
        log.warning("kept_files_removed", files=deleted, reason="no row names them")
    return deleted


def files() -> Iterator[Path]:
    """Return all files, those included that a killed process left unfinished."""
    folder = Path(settings.EVIDENCE_DIR)
    return (path for path in folder.glob("*/*") if path.is_file())


def _is_old(path: Path, *, at: datetime) -> bool:
    try:
        return path.stat().st_mtime < (at - STRAY_AFTER).timestamp()
    except FileNotFoundError:
        return False  # dropped meanwhile


def _place(digest: str) -> Path:
    return Path(settings.EVIDENCE_DIR) / digest[:2] / digest


def _write(place: Path, data: bytes) -> None:
    """Write beside, then rename: nobody ever reads half a file."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    written, name = tempfile.mkstemp(dir=place.parent, prefix=".")
    try:
        with os.fdopen(written, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).rename(place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    folder = os.open(place.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
