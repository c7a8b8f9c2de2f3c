"""Triton's admin socket behind one that holds every load until the test lets it go."""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer

from django.conf import settings
from django.test import override_settings

from scoring.triton_socket import TritonSocket

_SECONDS = 60


class SlowTriton(ThreadingUnixStreamServer):
    """Sends requests on to the real Triton; a load sets `is_loading` and waits for `goes_on`."""

    daemon_threads = True

    def __init__(self, path: Path, *, real: Path) -> None:
        super().__init__(str(path), _Handler)
        self.real = TritonSocket(real, timeout_seconds=_SECONDS)
        self.is_loading, self.goes_on = threading.Event(), threading.Event()


class _Handler(BaseHTTPRequestHandler):
    server: SlowTriton
    # The base would set an option of TCP, which a Unix socket refuses.
    disable_nagle_algorithm = False

    def do_GET(self) -> None:
        self._send_on()

    def do_POST(self) -> None:
        self._send_on()

    def _send_on(self) -> None:
        if self.path.endswith("/load"):
            self.server.is_loading.set()
            assert self.server.goes_on.wait(_SECONDS)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        status, said = self.server.real._ask(self.command, self.path, body)
        self.send_response(status)
        self.send_header("Content-Length", str(len(said.encode())))
        self.end_headers()
        self.wfile.write(said.encode())

    def address_string(self) -> str:
        """Return a name: a Unix socket has no address."""
        return "local"

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@contextmanager
def slow_triton() -> Iterator[SlowTriton]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "socket"
        with SlowTriton(path, real=settings.TRITON_ADMIN_SOCKET) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.02,))
            thread.start()
            try:
                with override_settings(TRITON_ADMIN_SOCKET=path):
                    yield server
            finally:
                server.goes_on.set()
                server.shutdown()
                thread.join()
