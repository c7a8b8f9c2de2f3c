"""The real web server, on the test database."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from deploy.local import ports
from deploy.local.places import ROOT
from moderation.models import Platform
from moderation.models.platforms import Scope
from moderation.operations.accounts import api_keys
from tests.django_fixtures import database_url

LARGE_BYTES = 20_000_000
_PATIENCE_SECONDS = 90


class WebServer:
    """`python -m config.server`, and what it writes."""

    def __init__(self, folder: Path, *, processes: int, silent_seconds: int) -> None:
        self.port = ports.free()
        self._log = folder / "log"
        (folder / "static").mkdir()
        (folder / "static" / "large.bin").write_bytes(b"x" * LARGE_BYTES)
        variables = {**os.environ, "DATABASE_URL": database_url(), "SPAMDESK_STATE_DIR": str(folder)}
        command = [
            *(sys.executable, "-m", "config.server", f"--port={self.port}"),
            *(f"--processes={processes}", f"--silent-seconds={silent_seconds}"),
        ]
        with self._log.open("wb") as output:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=variables, stdout=output, stderr=output, start_new_session=True
            )

    def said(self) -> str:
        """Return its log."""
        return self._log.read_text()

    def status(self, path: str = "/healthz", *, seconds: float = 10) -> int:
        """Return the status of a request of its own connection; raises OSError."""
        with contextlib.closing(
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        ) as client:
            client.request("GET", path, headers={"Host": "localhost"})
            answer = client.getresponse()
            answer.read()
            return answer.status

    def is_up(self) -> bool:
        """Return whether somebody answers."""
        try:
            return self.status(seconds=2) == 200
        except OSError:
            return False

    def processes(self) -> list[int]:
        """Return the processes that answer requests."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        found = {int(child) for thread in threads for child in (thread / "children").read_text().split()}
        return sorted(found | {int(child) for child in children})

    def listening(self) -> int:
        """Return how many of them serve, as they say."""
        lines = [line for line in self.said().splitlines() if '"web_process_serves"' in line]
        serving = {json.loads(line)["process"] for line in lines}
        return len(serving.intersection(self.processes()))

    def wait_until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until it holds; fails with the log."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not holds():
            assert time.monotonic() < deadline, f"never {what}:\n{self.said()[-4000:]}"
            time.sleep(0.05)

    def end(self) -> None:
        """Leave nothing behind."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def serving(blocker: DjangoDbBlocker, *, processes: int, silent_seconds: int = 30) -> Iterator[WebServer]:
    """Start a server, and end it."""
    with tempfile.TemporaryDirectory(prefix="spamdesk-web-") as folder:
        with blocker.unblock():
            server = WebServer(Path(folder), processes=processes, silent_seconds=silent_seconds)
        try:
            server.wait_until(server.is_up, "up")
            server.wait_until(lambda: server.listening() == processes, "complete")
            yield server
        finally:
            server.end()


@pytest.fixture(scope="package")
def web(triton: None, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[WebServer]:
    """A server of two processes; tests leave it as they found it."""
    with serving(django_db_blocker, processes=2) as server:
        for _ in range(16):
            server.status("/sign-in/", seconds=60)  # the first page of a process takes seconds
        yield server


@pytest.fixture
def key(transactional_db: None) -> str:
    """Return a platform's key, which the server sees."""
    at = timezone.now()
    platform = Platform.objects.create(slug="social", name="Social", created_at=at, removal="always")
    return api_keys.issue(platform=platform, name="test", scopes=Scope.values, expires_at=None, at=at)[1]
