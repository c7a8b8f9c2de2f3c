"""Triton is repaired when its Python part dies, which its own readiness does not notice."""

import os
import signal
import socket
import struct
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tritonclient.utils import InferenceServerException

from deploy.local import child
from deploy.local.places import State
from deploy.local.service import Broken
from deploy.local.supervisor import Supervisor
from deploy.local.triton import Triton
from scoring.triton_socket import TritonSocket
from tests.deploy.product import command_line
from tests.triton import own_server

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("triton"), pytest.mark.timeout(300)]

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _SETTINGS, _END_STREAM, _END_HEADERS = 0, 1, 4, 1, 4


@pytest.fixture(scope="module")
def state() -> Iterator[State]:
    with tempfile.TemporaryDirectory(prefix="spamdesk-triton-") as folder:
        yield State(Path(folder))


@pytest.fixture(scope="module")
def served(state: State) -> Iterator[tuple[Triton, Supervisor]]:
    with own_server.serving(state) as served:
        yield served


@pytest.fixture(scope="module")
def triton(served: tuple[Triton, Supervisor]) -> Triton:
    return served[0]


class TestService:
    def test_is_restarted_when_its_python_part_dies(
        self, served: tuple[Triton, Supervisor], state: State
    ) -> None:
        triton, supervisor = served
        server, stub = _process(state, "tritonserver"), _process(state, "distilbert")
        assert stub is not None

        os.kill(stub, signal.SIGKILL)

        assert _is_broken(triton)
        deadline = time.monotonic() + 60
        while _process(state, "tritonserver") in (server, None):
            assert time.monotonic() < deadline, "never restarted"
            supervisor.tend()
        supervisor.wait_until_up(["triton"])

    def test_is_administered_over_a_socket_that_only_this_user_reaches(self, triton: Triton) -> None:
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
    def test_takes_no_administration_over_tcp(self, triton: Triton, header: bytes | None) -> None:
        """The command line is no secret: whoever reads it there still cannot send that header."""
        sent = [(header, b"nothing")] if header else []

        for method in ("RepositoryIndex", "RepositoryModelLoad", "SystemSharedMemoryStatus", "TraceSetting"):
            answer = grpc_call(triton.grpc_port, method, headers=sent)
            assert b"distilbert" not in answer
            assert b"restricted" in answer or b"Missing :method" in answer or b"RST" in answer
        assert grpc_call(triton.grpc_port, "ServerReady", headers=[]).count(b"grpc-status") == 1

    def test_has_no_secret_on_its_command_line(self, triton: Triton, state: State) -> None:
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


def grpc_call(port: int, method: str, *, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Return what the server says, frames and all, to a call with headers that no client library sends."""
    own = [
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", f"/inference.GRPCInferenceService/{method}".encode()),
        (b":authority", b"localhost"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
    ]
    block = b"".join(_literal(name, value) for name, value in [*own, *headers])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(_PREFACE + _frame(_SETTINGS, 0, 0, b""))
        line.sendall(_frame(_HEADERS, _END_HEADERS, 1, block))
        line.sendall(_frame(_DATA, _END_STREAM, 1, b"\0" * 5))
        return _until_the_end(line)


def _until_the_end(line: socket.socket) -> bytes:
    said = b""
    while b"grpc-status" not in said:
        try:
            piece = line.recv(65_536)
        except TimeoutError:
            break
        if not piece:
            break
        said += piece
    return said


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def _literal(name: bytes, value: bytes) -> bytes:
    """A header field without indexing and without Huffman coding (RFC 7541 §6.2.2); both below 127 bytes."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value
