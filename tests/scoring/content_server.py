"""Servers on real local sockets that answer the content client rightly, wrongly, slowly or not at all."""

import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress


class LocalServer:
    """A socket on a free port whose connections are handled by a function, in threads, until closed."""

    def __init__(self, handle: Callable[[socket.socket], None]) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.connections = 0
        self._open: list[socket.socket] = []
        self._handle = handle
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError):  # the client may go away first
            self._handle(connection)

    def close(self) -> None:
        self._socket.close()
        for connection in self._open:
            connection.close()


def silent(connection: socket.socket) -> None:
    """Read and never answer."""
    while connection.recv(4096):
        pass


def hangs_up(connection: socket.socket) -> None:
    connection.close()


def talks_nonsense(connection: socket.socket) -> None:
    connection.recv(4096)
    connection.sendall(b"\x00\x01 nonsense \r\n\r\n")
    connection.close()


def http_answer(body: bytes, *, status: str = "200 OK") -> Callable[[socket.socket], None]:
    """Answer every HTTP request with this body."""

    def handle(connection: socket.socket) -> None:
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
            head, _, rest = received.partition(b"\r\n\r\n")
            lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            if lengths and len(rest) >= int(lengths[0].split(b":")[1]):
                lines = [
                    f"HTTP/1.1 {status}",
                    "Content-Type: application/json",
                    f"Content-Length: {len(body)}",
                ]
                connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
                received = b""

    return handle


def logits_answer(
    logits: object, *, shape: list[int], name: str = "logits"
) -> Callable[[socket.socket], None]:
    output = {"name": name, "datatype": "FP32", "shape": shape, "data": logits}
    return http_answer(
        json.dumps({"model_name": "content", "model_version": "1", "outputs": [output]}).encode()
    )
