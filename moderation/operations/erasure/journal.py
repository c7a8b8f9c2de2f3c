"""The journal of erasures: a file outside the database, so that a backup cannot bring back what was erased.

One JSON line per erasure request, without names or text. Erasures by retention are not in it: a restored
database repeats them by age. docs/operators-guide.md says where to keep the file.
"""

import errno
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db import connection, transaction

from moderation.models import Author, Erasure, Platform, Post
from moderation.models.erasures import ErasureCause, ErasureKind, name_digest
from moderation.operations.erasure import erase, platform_deletion
from moderation.operations.infrastructure import advisory_locks
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock

BATCH = 1_000
_LONGEST_LINE = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One erasure: our id of the post, author or platform, and the keyed digest of the platform's id."""

    platform: int
    kind: str
    subject_id: int
    name_digest: str
    erased_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The result of applying a journal: counts erased now, erased before, and not in this database."""

    erased: int
    known: int
    absent: int


class Unreadable(Exception):
    """A line of the journal cannot be read; the message names it."""


def write(*, at: datetime) -> int:
    """Append the erasures that were committed since; return how many. Raises OSError.

    Written and synced before the rows say so: a crash in between repeats lines, which does no harm.
    """
    with transaction.atomic():
        advisory_locks.take(AdvisoryLock.ERASURE_JOURNAL)
        erasures = Erasure.objects.filter(cause=ErasureCause.REQUEST, journalled_at__isnull=True)
        rows = list(erasures.order_by("id")[:BATCH])
        if rows:
            _append(settings.ERASURE_JOURNAL, rows)
            Erasure.objects.filter(pk__in=[row.pk for row in rows]).update(journalled_at=at)
    return len(rows)


def read(path: Path) -> Iterator[Entry]:
    """Yield the entries of a journal in order. Raises OSError or Unreadable."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield Entry(**json.loads(line))
            except (ValueError, TypeError) as reason:
                raise Unreadable(f"Line {number} of {path} is not an erasure: {reason}") from None


def apply(path: Path, *, at: datetime) -> Applied:
    """Erase what a journal names, and never give its ids to anything else. Safe to repeat.

    Raises OSError or Unreadable.
    """
    erased = known = absent = 0
    newest = dict.fromkeys(ErasureKind, 0)
    for entry in read(path):
        kind = ErasureKind(entry.kind)
        newest[kind] = max(newest[kind], entry.subject_id)
        if Erasure.objects.filter(kind=kind, subject_id=entry.subject_id).exists():
            known += 1
        elif _erase(entry, at=at):
            erased += 1
        else:
            absent += 1
    _go_past("moderation_post", newest[ErasureKind.POST])
    _go_past("moderation_author", newest[ErasureKind.AUTHOR])
    _go_past("moderation_platform", newest[ErasureKind.PLATFORM])
    while platform_deletion.sweep(at=at):
        pass
    return Applied(erased=erased, known=known, absent=absent)


def _append(path: Path, rows: list[Erasure]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{json.dumps(_told(row), separators=(',', ':'))}\n" for row in rows)
    with path.open("a+b", buffering=0) as file:
        end = _end_of_whole_lines(file)
        try:
            # On a full disk only the beginning is written: half a line would make the rest unreadable.
            file.truncate(end)
            _write_whole(file, lines.encode())
            os.fsync(file.fileno())
        except OSError:
            file.truncate(end)
            raise


def _write_whole(file: BinaryIO, lines: bytes) -> None:
    if file.write(lines) != len(lines):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _end_of_whole_lines(file: BinaryIO) -> int:
    """Return where the last complete line ends; a partial line after it was never marked as written."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LONGEST_LINE))
    tail = file.read()
    return size - len(tail) + tail.rfind(b"\n") + 1


def _told(row: Erasure) -> dict[str, object]:
    return {
        "platform": row.platform_id,
        "kind": row.kind,
        "subject_id": row.subject_id,
        "name_digest": row.name_digest,
        "erased_at": row.erased_at.isoformat(),
    }


def _erase(entry: Entry, *, at: datetime) -> bool:
    """Erase one subject if both id and name digest match; the id alone could be another's."""
    platform = Platform.objects.filter(pk=entry.platform).first()
    if platform is None:
        return False
    if entry.kind == ErasureKind.PLATFORM:
        if name_digest(platform=platform, external_id=platform.slug) != entry.name_digest:
            return False
        with transaction.atomic():
            platform_deletion.begin(platform, actor=None, at=at)
        return True
    kind = Post if entry.kind == ErasureKind.POST else Author
    subjects = kind.objects.filter(pk=entry.subject_id, platform=platform)
    external_id = subjects.values_list("external_id", flat=True).first()
    if external_id is None:
        return False
    if name_digest(platform=platform, external_id=external_id) != entry.name_digest:
        return False
    if kind is Post:
        erase.post(post_id=entry.subject_id, at=at)
    else:
        erase.author(platform=platform, external_id=external_id, at=at)
    return True


def _go_past(table: str, newest: int) -> None:
    """Advance a table's sequence past an id, so that the id is never assigned again."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT setval(seqrelid, greatest(coalesce(pg_sequence_last_value(seqrelid), 1), %s))"
            " FROM pg_sequence WHERE seqrelid = pg_get_serial_sequence(%s, 'id')::regclass",
            (newest, table),
        )
