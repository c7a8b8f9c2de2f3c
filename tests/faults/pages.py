"""A web of pages that can be held: all names of `.example`, on one port of this machine."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.moderation.evidence import drawn

_HELD_SECONDS = 120
"""Nothing is held for longer, whoever forgot to let it go on."""


class Web:
    """`asked` counts requests by address, `held` has those that came while answers are held."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.held: list[str] = []
        self.flows = threading.Event()
        self.flows.set()
        self._server = _serve(self, port=0)
        self.port = int(self._server.server_port)

    def close(self) -> None:
        """End it: from now on nobody listens at its port."""
        self.flows.set()
        self._server.shutdown()
        self._server.server_close()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Take requests and answer none of them until the block is left."""
        self.held.clear()
        self.flows.clear()
        try:
            yield
        finally:
            self.flows.set()

    @contextmanager
    def gone(self) -> Iterator[None]:
        """Take no connection until the block is left."""
        self.close()
        try:
            yield
        finally:
            self._server = _serve(self, port=self.port)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    web: Web


def _serve(web: Web, *, port: int) -> _Server:
    server = _Server(("127.0.0.1", port), _Answering)
    server.web = web
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server


class _Answering(BaseHTTPRequestHandler):
    """`/go/…` leads to another site, `….png` is a picture, everything else a page with words of its own."""

    server: _Server

    def do_GET(self) -> None:
        web, host = self.server.web, str(self.headers["host"])
        address = f"http://{host}{self.path}"
        web.asked[address] += 1
        if not web.flows.is_set():
            web.held.append(address)
            web.flows.wait(_HELD_SECONDS)
        with suppress(OSError):  # who asked was killed
            self._answer(host)

    def _answer(self, host: str) -> None:
        if self.path.startswith("/go/"):
            self._send(b"", status=302, location=f"http://lands-{host}/page{self.path[3:]}")
        elif self.path.endswith(".png"):
            picture = drawn.with_text(f"OFFER {self.path[-12:-4]}")
            self._send(drawn.encoded(picture, "PNG"), content_type="image/png")
        else:
            words = f"<title>Parcel {self.path}</title><p>Your parcel waits at depot {self.path} today"
            self._send(words.encode(), content_type="text/html")

    def _send(self, body: bytes, *, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {**headers, "content_length": str(len(body))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Stay quiet."""
