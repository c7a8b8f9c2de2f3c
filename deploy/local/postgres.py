"""PostgreSQL from a wheel, run as our own foreground child. Only the wheel's binaries are used.

The wheel's Python wrapper makes every parent folder world-readable and sets no password; this does neither.
"""

import contextlib
import hashlib
import os
import select
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from deploy.local import ports, postgres_files
from deploy.local.child import Owner
from deploy.local.places import State
from deploy.local.service import NotYet, Service

USER = "spamdesk"
_SETTINGS = {
    # Histories read rows scattered over millions, on SSDs.
    "random_page_cost": "1.1",
    # No JIT: compiling a short statement takes longer than running it.
    "jit": "off",
    "max_wal_size": "4GB",
    # The wheel has no lz4. Half of the log are whole pages, and pglz takes more than half off them.
    "wal_compression": "pglz",
    "max_connections": "200",
    # Its processes for reading ahead and for logical replication would do nothing.
    "io_method": "sync",
    "max_logical_replication_workers": "0",
    "unix_socket_directories": "",
    "log_min_messages": "warning",
    # A failed statement holds personal data: log only its error.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
_IN_TESTS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    # It finds tables empty between two tests, and the plans of the next one are made for empty tables.
    "autovacuum": "off",
}


@dataclass(frozen=True, kw_only=True)
class Postgres:
    """A database cluster in the state folder, with password authentication on the loopback address."""

    state: State
    port: int
    is_for_tests: bool = False

    @property
    def url(self) -> str:
        """Return the address with its password, as DATABASE_URL takes it."""
        return f"postgresql://{USER}:{quote(self._password)}@{ports.LOOPBACK}:{self.port}/postgres"

    def service(self) -> Service:
        """Return the service; raises OSError if its folders cannot be made."""
        owner = postgres_files.owner()
        binaries, cluster = self._reachable(owner)
        settings = {"shared_buffers": _buffers(), **_SETTINGS, **(_IN_TESTS if self.is_for_tests else {})}
        return Service(
            name="postgres",
            # By its full path: by name it would find another installation on PATH.
            command=(
                str(binaries / "postgres"),
                *("-D", str(cluster)),
                *("-h", ports.LOOPBACK, "-p", str(self.port)),
                *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
            ),
            prepare=lambda: self._prepare(binaries, cluster, owner),
            check=self._check,
            owner=owner,
            folder=cluster.parent,
            stop_signal=signal.SIGINT,  # "fast": does not wait for the clients
            says=f"PostgreSQL on port {self.port}",
        )

    @property
    def _password(self) -> str:
        return self.state.secret("postgres-password")

    def _check(self) -> None:
        import psycopg  # noqa: PLC0415 - the installer imports this package without it

        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError as refused:
            raise NotYet(str(refused)) from None

    def _prepare(self, binaries: Path, cluster: Path, owner: Owner | None) -> None:
        if not (cluster / "PG_VERSION").exists():
            self._initialise(binaries, cluster, owner)
        _remove_stale_lock(cluster)

    def _initialise(self, binaries: Path, cluster: Path, owner: Owner | None) -> None:
        unfinished = cluster.with_name(f"{cluster.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        password = cluster.with_name("initial-password")
        password.touch(mode=0o600)
        password.write_text(self._password)
        if owner:
            for path in (unfinished, password):
                os.chown(path, owner.user_id, owner.group_id)
        command = [
            str(binaries / "initdb"),
            *("-D", str(unfinished), "-U", USER),
            "--auth=scram-sha-256",
            f"--pwfile={password}",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--locale=C",
            *(["--no-sync"] if self.is_for_tests else []),
        ]
        result = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=cluster.parent,
            user=owner.user_id if owner else None,
            group=owner.group_id if owner else None,
            extra_groups=[] if owner else None,
        )
        password.unlink()
        if result.returncode != 0:
            raise OSError(f"initdb failed: {result.stderr.strip().splitlines()[-1:]}")
        # Renamed when complete: an interrupted start leaves no partial cluster.
        unfinished.rename(cluster)

    def _reachable(self, owner: Owner | None) -> tuple[Path, Path]:
        """Return binaries and cluster folder that the database's user can read; copy them if needed."""
        folder = self.state.folder("postgres", mode=0o711 if owner else 0o700)
        binaries = postgres_files.binaries()
        if owner is None:
            return binaries, folder / "cluster"
        if not postgres_files.may_run(owner, binaries / "postgres"):
            binaries = postgres_files.copied(binaries)
        if not postgres_files.may_enter(owner, folder):
            folder = self._moved(folder)
        os.chown(folder, owner.user_id, owner.group_id)
        return binaries, folder / "cluster"

    def _moved(self, folder: Path) -> Path:
        place = postgres_files.SHARED_STATE / hashlib.sha256(os.fsencode(self.state.path)).hexdigest()[:12]
        for path in (postgres_files.SHARED_STATE, place):
            path.mkdir(parents=True, exist_ok=True)
            path.chmod(0o711)
        (folder / "elsewhere").write_text(f"{place}\n")
        return place


def _buffers() -> str:
    """Return a thirty-second of the memory, from 64 to 512 MB: indexes of a million posts fit in it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    return f"{max(64, min(512, memory // 32))}MB"


def _remove_stale_lock(cluster: Path) -> None:
    """Remove the lock of a dead server; its process id may belong to another process by now."""
    lock = cluster / "postmaster.pid"
    with contextlib.suppress(FileNotFoundError, ValueError, IndexError):
        process_id = int(lock.read_text().splitlines()[0])
        with contextlib.suppress(OSError):
            if Path(f"/proc/{process_id}/cwd").resolve() == cluster.resolve():
                _end(process_id)
        lock.unlink(missing_ok=True)


def _end(process_id: int) -> None:
    """Stop a server that survived its supervisor; immediate shutdown is as safe as a crash, and as quick."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process_id, signal.SIGQUIT)
        descriptor = os.pidfd_open(process_id)
        with os.fdopen(descriptor):
            select.select([descriptor], [], [], 5)
