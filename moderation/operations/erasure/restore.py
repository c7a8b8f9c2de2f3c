"""Restore a backup into an empty database: verified, brought up to date, and without what was erased."""

import json
import shutil
import tarfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from moderation.checks import UNFINISHED
from moderation.models import Export
from moderation.models.exports import ExportState
from moderation.operations.audit import chain
from moderation.operations.erasure import backup, erase, journal
from moderation.operations.erasure.backup import Failed
from moderation.operations.infrastructure import kept_files
from moderation.operations.labels import export_files

_GO_PAST_LOST = """
SELECT setval(format('%I.%I', schemaname, sequencename), coalesce(last_value, 1) + 10000000)
FROM pg_sequences WHERE schemaname = current_schema() AND data_type = 'bigint'::regtype
  AND sequencename <> 'moderation_score_id_seq' -- the range of a partition
"""
"""Platforms know ids given since the backup, which must not name something else: go on ten million later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restored database holds: the end of its audit chain, and what was erased again."""

    head: chain.Head
    applied: journal.Applied | None
    expired: int


def run(folder: Path, *, erasures: Path | None, at: datetime) -> Restored:
    """Restore a backup, then apply a journal of erasures.

    The product must not serve before this has returned.

    Raises Failed, chain.Broken, journal.Unreadable or OSError; a database that was not empty is not touched.
    Interrupted, it leaves a database that nothing starts on.
    """
    manifest = _verified(folder)
    if tables := connection.introspection.table_names():
        why = "A restore into it was interrupted" if UNFINISHED in tables else "The database is not empty"
        raise Failed(f"{why}; restore into a new one.")
    if erasures is not None:
        sum(1 for _ in journal.read(erasures))  # an unreadable one is refused before anything is written
    _mark("CREATE TABLE {}()")
    backup.run(
        "pg_restore",
        "--exit-on-error",
        "--single-transaction",
        "--no-owner",
        "--no-privileges",
        f"--dbname={connection.settings_dict['NAME']}",
        str(folder / backup.DUMP),
    )
    call_command("migrate", interactive=False, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute(_GO_PAST_LOST)
    number, _, digest = manifest["audit_head"].partition(":")
    chain.verify(published=chain.Head(number=int(number), hash=digest))
    _unpack(folder / backup.FILES)
    _forget_what_is_gone()
    applied = journal.apply(erasures, at=at) if erasures is not None else None
    expired = _expire(at=at)
    chain.seal(at=at)
    restored = Restored(head=chain.verify(), applied=applied, expired=expired)
    _mark("DROP TABLE {}")
    return restored


def _mark(statement: str) -> None:
    """Note in the database that it must not be served yet (moderation/checks.py), or that it may be."""
    with connection.cursor() as cursor:
        cursor.execute(statement.format(UNFINISHED))


def _verified(folder: Path) -> dict[str, Any]:
    """Return the manifest of a whole backup that this version can read. Raises Failed."""
    try:
        manifest: dict[str, Any] = json.loads((folder / backup.MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as reason:
        raise Failed(f"{folder} is not a backup: {reason}") from None
    if manifest.get("format") != backup.FORMAT:
        raise Failed(f"{folder} has the format {manifest.get('format')}; this version reads {backup.FORMAT}.")
    for name, digest in manifest["sha256"].items():
        if backup.sha256(folder / name) != digest:
            raise Failed(f"{folder / name} is not as it was written; use another backup.")
    migrations = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations or ()}
    if newer := set(manifest["migrations"]) - migrations:
        raise Failed(
            f"The backup comes from a newer version: {', '.join(sorted(newer)[:3])} is not known here."
        )
    return manifest


def _unpack(archive: Path) -> None:
    """Unpack kept releases and thumbnails; existing files stay, since they never change."""
    with tarfile.open(archive) as packed:
        for member in packed:
            file = packed.extractfile(member) if member.isfile() else None
            if file is None:
                continue
            name, _, relative = member.name.partition("/")
            folder = backup.kept_folders().get(name)
            if name == backup.EVIDENCE:
                _keep(file, member)
            elif folder is not None and relative and not (folder / relative).exists():
                _put(file, member, folder=folder, place=folder / relative)


def _put(file: IO[bytes], member: tarfile.TarInfo, *, folder: Path, place: Path) -> None:
    """Write a file below its folder, whole or not at all. Raises Failed.

    Not by `extract`, which without its filter writes anywhere: Python 3.11.2, Debian 12's, has none.
    """
    if not place.resolve().is_relative_to(folder.resolve()):
        raise Failed(f"The backup names a file outside of its folders: {member.name}")
    place.parent.mkdir(parents=True, exist_ok=True)
    partial = place.with_name(f".{place.name}.partial")
    with partial.open("wb") as target:
        shutil.copyfileobj(file, target)
    partial.replace(place)


def _keep(file: IO[bytes], member: tarfile.TarInfo) -> None:
    """Keep a thumbnail in the store that the settings name now, whichever it came from. Raises Failed."""
    if member.size > kept_files.MOST_BYTES:
        return
    try:
        kept_files.keep(file.read())
    except (kept_files.NoRoom, OSError) as reason:
        raise Failed(f"The store of pictures does not take {member.name}: {reason}") from None


def _forget_what_is_gone() -> None:
    """End all sessions, since some were ended after the backup, and mark exports as lost."""
    Session.objects.all().delete()
    ids = [row.pk for row in Export.objects.exclude(state=ExportState.FAILED) if not _has_file(row)]
    Export.objects.filter(pk__in=ids).update(
        state=ExportState.FAILED, error="The database was restored; ask for a new export.", file_name=""
    )


def _has_file(row: Export) -> bool:
    return row.state == ExportState.READY and export_files.path_of(row).exists()


def _expire(*, at: datetime) -> int:
    """Apply retention, and erase the remaining posts of erased authors, in batches."""
    total = 0
    while erased := erase.expired(at=at):
        total += erased
    return total
