"""Triton is repaired when its Python part dies, which its own readiness does not notice."""

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tritonclient.utils import InferenceServerException

from deploy.local import child, ports
from deploy.local.places import State
from deploy.local.service import Broken
from deploy.local.supervisor import Supervisor
from deploy.local.triton import Triton
from scoring.triton_socket import TritonSocket
from tests.deploy import grpc_by_hand
from tests.deploy.product import command_line

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("triton"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def state() -> Iterator[State]:
    with tempfile.TemporaryDirectory(prefix="spamdesk-triton-") as folder:
        yield State(Path(folder))


@pytest.fixture(scope="module")
def triton(state: State) -> Triton:
    return Triton(state=state, grpc_port=ports.free(), metrics_port=ports.free())


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

    def test_is_administered_over_a_socket_that_only_this_user_reaches(
        self, supervisor: Supervisor, triton: Triton
    ) -> None:
        admin = TritonSocket(triton.socket, timeout_seconds=60)

        admin.load_model("content")

        assert admin.is_model_ready("content")
        with pytest.raises(InferenceServerException, match="nothing"):
            admin.load_model("nothing")
        assert triton.socket.parent.stat().st_mode & 0o077 == 0

    @pytest.mark.parametrize(
        "header",
        [
            None,
            b"triton-grpc-protocol-Nobody can send this",
            b"triton-grpc-protocol-nobody can send this",
            b"triton-grpc-protocol-nobody",
        ],
    )
    def test_takes_no_administration_over_tcp(
        self, supervisor: Supervisor, triton: Triton, header: bytes | None
    ) -> None:
        """The command line is no secret: whoever reads it there still cannot send that header."""
        sent = [(header, b"nothing")] if header else []

        answer = grpc_by_hand.call(triton.grpc_port, "RepositoryIndex", headers=sent)

        assert b"distilbert" not in answer
        assert b"restricted" in answer or b"Missing :method" in answer or b"RST" in answer
        assert grpc_by_hand.call(triton.grpc_port, "ServerReady", headers=[]).count(b"grpc-status") == 1

    def test_has_no_secret_on_its_command_line(self, supervisor: Supervisor, state: State) -> None:
        server = _process(state, "tritonserver")
        assert server is not None

        assert not any(
            secret.read_text() in command_line(server) for secret in state.folder("secrets").iterdir()
        )
        assert "key=" not in command_line(server)


def _process(state: State, word: str) -> int | None:
    """Return the newest process with this word on its command line."""
    found = [pid for pid in child.leftovers(mark=str(state.path)) if word in command_line(pid)]
    return max(found, default=None)


def _is_broken(triton: Triton) -> bool:
    try:
        triton.service().check()
    except Broken:
        return True
    return False
