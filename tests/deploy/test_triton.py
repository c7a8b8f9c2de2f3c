"""Triton is repaired when its Python part dies, which its own readiness does not notice."""

import contextlib
import http.client
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local import child, ports
from deploy.local.places import State
from deploy.local.service import Broken
from deploy.local.supervisor import Supervisor
from deploy.local.triton import Triton

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("triton"), pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def state() -> Iterator[State]:
    with tempfile.TemporaryDirectory(prefix="spamdesk-triton-") as folder:
        yield State(Path(folder))


@pytest.fixture(scope="module")
def triton(state: State) -> Triton:
    return Triton(state=state, http_port=ports.free(), grpc_port=ports.free(), metrics_port=ports.free())


@pytest.fixture(scope="module")
def supervisor(state: State, triton: Triton) -> Iterator[Supervisor]:
    quiet = Supervisor(
        logs=state.folder("logs"), mark=str(state.path), environment=os.environ, say=lambda _: None
    )
    with quiet as supervisor:
        supervisor.launch(triton.service())
        supervisor.wait_until_up(["triton"])
        yield supervisor


class TestService:
    def test_is_restarted_when_its_python_part_dies(
        self, supervisor: Supervisor, triton: Triton, state: State
    ) -> None:
        server, stub = _process(state, "tritonserver"), _process(state, "distilbert")
        assert stub is not None

        os.kill(stub, signal.SIGKILL)

        assert _is_broken(triton)
        deadline = time.monotonic() + 60
        while _process(state, "tritonserver") in (server, None):
            assert time.monotonic() < deadline, "never restarted"
            supervisor.tend()
        supervisor.wait_until_up(["triton"])

    def test_keeps_its_admin_endpoints_behind_a_key(self, supervisor: Supervisor, triton: Triton) -> None:
        connection = http.client.HTTPConnection(ports.LOOPBACK, triton.http_port, timeout=5)
        with contextlib.closing(connection):
            connection.request("POST", "/v2/repository/models/content/unload", body="{}")

            assert connection.getresponse().status == 403


def _process(state: State, word: str) -> int | None:
    """Return the newest process with this word on its command line."""
    found = [pid for pid in child.leftovers(mark=str(state.path)) if word in _command_line(pid)]
    return max(found, default=None)


def _command_line(process_id: int) -> str:
    try:
        return Path(f"/proc/{process_id}/cmdline").read_text()
    except OSError:
        return ""


def _is_broken(triton: Triton) -> bool:
    try:
        triton.service().check()
    except Broken:
        return True
    return False
