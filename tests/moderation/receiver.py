"""A real HTTP server that stands in for a platform's webhook receiver."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver(ThreadingHTTPServer):
    """Answers every delivery with `status`, `headers` and `body` after a while, and keeps what it got."""

    daemon_threads = True

    status = 204
    body = b""
    wait_seconds = 0.0
    connections = 0
    before_answer: Callable[[], None] = staticmethod(lambda: None)
    headers: dict[str, str]
    got: list[tuple[dict[str, str], bytes]]
    paths: list[str]

    @property
    def url(self) -> str:
        """Where it listens; the host must be in EGRESS_PRIVATE_HOSTS."""
        return f"http://localhost:{self.server_port}/hook"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        time.sleep(self.server.wait_seconds)
        self.server.before_answer()
        self.server.paths.append(self.path)
        self.server.got.append(({key.lower(): value for key, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        self.send_header("location", "http://127.0.0.1:1/elsewhere")
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(self.server.body)))
        self.end_headers()
        with suppress(OSError):  # the sender does not want all of it
            self.wfile.write(self.server.body)

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@contextmanager
def listening() -> Iterator[Receiver]:
    """Run a receiver."""
    server = Receiver(("127.0.0.1", 0), _Handler)
    server.got, server.paths, server.headers = [], [], {}
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
