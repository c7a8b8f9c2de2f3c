"""A real HTTP server that stands in for a platform's webhook receiver."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver(ThreadingHTTPServer):
    """Answers every delivery with `status` and `headers`, and keeps what it got."""

    status = 204
    headers: dict[str, str]
    got: list[tuple[dict[str, str], bytes]]

    @property
    def url(self) -> str:
        """Where it listens; the host must be in EGRESS_PRIVATE_HOSTS."""
        return f"http://localhost:{self.server_port}/hook"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.got.append(({key.lower(): value for key, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        self.send_header("location", "http://127.0.0.1:1/elsewhere")
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@contextmanager
def listening() -> Iterator[Receiver]:
    """Run a receiver."""
    server = Receiver(("127.0.0.1", 0), _Handler)
    server.got, server.headers = [], {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
