"""A hot standby of the tests' PostgreSQL, streaming from it."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from deploy.local import ports, postgres_files

# It is ready at a moment without a transaction of many savepoints, as replays of worlds beside it are.
_SECONDS = 200.0
_SETTINGS = ("unix_socket_directories=", "fsync=off", "max_connections=200")


class HotStandby:
    """A standby whose data lie in a folder; it runs once `start` was called."""

    def __init__(self, folder: Path) -> None:
        self.port = ports.free()
        self._cluster = folder / "cluster"
        self._programs = postgres_files.binaries()
        self._owner = postgres_files.owner()
        self._cluster.mkdir(mode=0o700)
        if owner := self._owner:
            if not postgres_files.may_run(owner, self._programs / "postgres"):
                self._programs = postgres_files.copied(self._programs)
            folder.chmod(0o755)
            os.chown(self._cluster, owner.user_id, owner.group_id)
        where = (f"--dbname={_at()}", f"--pgdata={self._cluster}")
        self._run("pg_basebackup", *where, "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = [part for setting in (*_SETTINGS, f"port={self.port}") for part in ("-c", setting)]
        self._process = self._popen("postgres", "-D", str(self._cluster), *settings)
        until = time.monotonic() + _SECONDS
        while True:
            assert self.is_up(), "the standby ended"
            try:
                return self.execute("SELECT 1")
            except psycopg.OperationalError:
                assert time.monotonic() < until, "the standby did not come up"
                time.sleep(0.05)

    def is_up(self) -> bool:
        """Tell whether it runs."""
        return self._process.poll() is None

    def execute(self, sql: str) -> None:
        """Run a statement on it as its superuser."""
        with psycopg.connect(_at(self.port), connect_timeout=2, autocommit=True) as connection:
            connection.execute(sql)

    def kill(self) -> None:
        """End all of its processes."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _run(self, *command: str) -> None:
        assert self._popen(*command).wait(timeout=_SECONDS) == 0, command[0]

    def _popen(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(self._programs / program), *arguments],
            cwd=self._cluster.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            user=self._owner.user_id if self._owner else None,
            group=self._owner.group_id if self._owner else None,
            extra_groups=[] if self._owner else None,
        )


@contextmanager
def running() -> Iterator[HotStandby]:
    """Copy the tests' PostgreSQL, and follow it."""
    with tempfile.TemporaryDirectory(prefix="spamdesk-standby-", ignore_cleanup_errors=True) as folder:
        made = HotStandby(Path(folder))
        try:
            yield made
        finally:
            if made.is_up():
                made.kill()


def _at(port: int | None = None) -> str:
    address = urlsplit(os.environ["DATABASE_URL"])
    where = f"127.0.0.1:{port or address.port}"
    return address._replace(netloc=f"{address.username}:{address.password}@{where}").geturl()
