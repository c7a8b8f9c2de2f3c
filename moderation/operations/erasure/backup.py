"""Back up the database, the kept releases and the thumbnails of pictures into a folder, atomically.

Secrets are left out on purpose: a key must not be stored beside what it decrypts.
"""

import fcntl
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from moderation.operations.audit import chain
from moderation.operations.erasure import journal
from moderation.operations.infrastructure import file_stores, kept_files

log = structlog.get_logger(__name__)

MANIFEST = "manifest.json"
DUMP = "database.dump"
FILES = "files.tar"
EVIDENCE = "evidence"
"""The folder of thumbnails in the archive, wherever they are kept."""
FORMAT = 1
_READ_AT_ONCE, _PACKED_AT_ONCE = 16, 500
_STAGING = ".backup-"


class Failed(Exception):
    """A backup could not be made or restored; the message says why."""


def make(folder: Path, *, at: datetime) -> dict[str, Any]:
    """Write a backup into a folder that does not exist yet; return its manifest. Raises Failed or OSError."""
    if folder.exists():
        raise Failed(f"{folder} exists; give the name of a new folder.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    _delete_abandoned(folder.parent)
    journal.write(at=at)
    chain.seal(at=at)
    head = chain.head()  # before the dump, which therefore contains it
    with _staging(folder.parent) as staging:
        target = staging / "backup"
        target.mkdir(mode=0o700)
        run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={target / DUMP}")
        # After the dump: a release is kept on disk before a score names it, so none of the dump is missing.
        _pack(target / FILES)
        manifest = {
            "format": FORMAT,
            "made_at": at.isoformat(),
            "audit_head": str(head),
            "migrations": sorted(
                f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations()
            ),
            "sha256": {name: sha256(target / name) for name in (DUMP, FILES)},
        }
        (target / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        for name in (DUMP, FILES, MANIFEST):
            file_stores.sync(target / name)
        target.rename(folder)
        file_stores.sync(folder.parent)
    return manifest


def run(program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs on the configured database.

    Raises Failed with the end of its output.
    """
    name = settings.POSTGRES_PROGRAMS / program if settings.POSTGRES_PROGRAMS else shutil.which(program)
    if name is None:
        raise Failed(f"{program} is not on PATH; SPAMDESK_POSTGRES_PROGRAMS names the folder that has it.")
    database = connection.settings_dict
    # By environment: every local user can read a password on a command line.
    variables = {
        "PGHOST": database["HOST"],
        "PGPORT": database["PORT"],
        "PGUSER": database["USER"],
        "PGPASSWORD": database["PASSWORD"],
        "PGDATABASE": database["NAME"],
    }
    environment = {name: str(value) for name, value in variables.items() if value}
    result = subprocess.run(
        [str(name), "--no-password", *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise Failed(f"{program}: {result.stderr.strip()[-500:]}")


def sha256(path: Path) -> str:
    """Return the digest of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def kept_folders() -> dict[str, Path]:
    """Return the folders packed beside the database by name in the archive: they reproduce scores."""
    return {"releases": settings.RELEASES_DIR, "triton-models": settings.TRITON_MODELS_DIR}


def _pack(archive: Path) -> None:
    with tarfile.open(archive, "w") as packed:
        for name, folder in kept_folders().items():
            for path in sorted(folder.rglob("*")):
                # Erased meanwhile: its row is in the dump, and the erasure is in the journal.
                with suppress(FileNotFoundError):
                    packed.add(path, arcname=str(Path(name) / path.relative_to(folder)), recursive=False)
        # From whichever store the settings name: a bucket is no backup of itself.
        with ThreadPoolExecutor(_READ_AT_ONCE) as readers:
            names = kept_files.names()
            while some := list(islice(names, _PACKED_AT_ONCE)):
                for digest, data in zip(some, readers.map(kept_files.read, some), strict=True):
                    if data is not None:
                        _add(packed, f"{EVIDENCE}/{digest[:2]}/{digest}", data)


def _add(packed: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(data), 0o600
    packed.addfile(member, io.BytesIO(data))


@contextmanager
def _staging(parent: Path) -> Iterator[Path]:
    """Make a temporary folder, locked while this process lives to show that a backup is running."""
    with tempfile.TemporaryDirectory(dir=parent, prefix=_STAGING) as name, _locked(Path(name)):
        yield Path(name)


def _delete_abandoned(parent: Path) -> None:
    """Delete the remains of killed backups: they hold personal data, some of it erased since."""
    for folder in parent.glob(f"{_STAGING}*"):
        with suppress(BlockingIOError, FileNotFoundError), _locked(folder):
            shutil.rmtree(folder)
            log.warning("backup_removed", folder=folder.name, reason="whoever made it was stopped")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock. Raises BlockingIOError if somebody else does."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
