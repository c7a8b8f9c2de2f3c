"""What tests of connectors share: a local server that speaks JSON and records its requests, and decisions."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from integrations.connector import Connector, Incoming, Order


@dataclass(frozen=True, slots=True)
class Request:
    """A request that came in; `body` is its JSON or its form."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any

    @property
    def name(self) -> str:
        """Method and path, as a test names it."""
        return f"{self.method} {self.path}"


class PlatformServer:
    """Answers by `answer`, which returns (status, JSON or bytes). `breaks_at` cuts the connection there.

    Each name in `breaks_at` works once, after the change was made: the platform did it, and we never heard;
    `loses_next` does so for the next request that changes anything. `effects` has all that did, with bodies.
    """

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Request] = []
        self.breaks_at: set[str] = set()
        self.effects, self.loses_next = list[tuple[str, str]](), False

    def answer(self, request: Request) -> tuple[int, Any]:
        """Return status and body."""
        raise NotImplementedError

    def restrictions(self) -> set[str]:
        """Return what is in force against posts and accounts."""
        return set()

    def waiting(self) -> set[str]:
        """Return the reports that wait there for somebody."""
        return set()

    def changes(self) -> list[str]:
        """Return the names of the requests that change something, in order."""
        return [request.name for request in self.requests if request.method != "GET"]


@contextmanager
def serving(platform: PlatformServer, *, host: str = "127.0.0.1") -> Iterator[PlatformServer]:
    """Serve on a free port of the loopback until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            request = _request(self)
            platform.requests.append(request)
            before = platform.restrictions(), platform.waiting()
            status, body = platform.answer(request)
            is_effective = before != (platform.restrictions(), platform.waiting())
            if is_effective:
                platform.effects.append((request.name, json.dumps(request.body)))
            if request.name in platform.breaks_at or (is_effective and platform.loses_next):
                platform.breaks_at.discard(request.name)
                platform.loses_next = False
                self.close_connection = True
                return
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    for method in ("GET", "POST", "PUT", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.handle_any)
    server = ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads = True
    platform.url = f"http://{host}:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield platform
    finally:
        server.shutdown()
        server.server_close()


def _request(handler: BaseHTTPRequestHandler) -> Request:
    content = handler.rfile.read(int(handler.headers.get("content-length") or 0))
    parts = urlsplit(handler.path)
    is_form = "form" in (handler.headers.get("content-type") or "")
    body = dict(parse_qsl(content.decode())) if is_form else json.loads(content or b"null")
    headers = {name.lower(): value for name, value in handler.headers.items()}
    return Request(handler.command or "", parts.path, dict(parse_qsl(parts.query)), headers, body)


def told(connector: Connector) -> list[Incoming]:
    """Return what polling tells until nothing more waits."""
    pieces, cursor, is_last = list[Incoming](), dict[str, Any](), False
    while not is_last:
        page = connector.poll(cursor)
        pieces, cursor, is_last = [*pieces, *page.incoming], dict(page.cursor), page.is_last
    return pieces


def order(piece: Incoming, action: str, *, verdict: str = "spam", **given: Any) -> Order:
    """Return a decision about a post."""
    return Order(
        decision_id="4711",
        external_id=piece.post.external_id,
        verdict=verdict,
        reason="scam",
        action=action,
        until=None,
        note="Spamdesk decision 4711: spam",
        remote=piece.remote,
        **given,
    )
