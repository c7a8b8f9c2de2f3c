"""Reputation providers on a local HTTP server: they answer as the real ones document it, or misbehave."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LISTED = {"threat": {"threatTypes": ["SOCIAL_ENGINEERING"], "expireTime": "2026-03-01T12:05:00.123456Z"}}
RATED = [
    {
        "target": "pills.example",
        "safety": {"status": "NOT_SAFE", "reputations": 7, "confidence": 61},
        "categories": [],
    }
]


def registered(date: str) -> dict[str, Any]:
    """Return a registry's answer about a domain that was registered then."""
    return {
        "ldhName": "pills.example",
        "events": [
            {"eventAction": "last changed", "eventDate": "2026-02-01T00:00:00Z"},
            {"eventAction": "registration", "eventDate": date},
        ],
    }


@dataclass
class Providers:
    """What the server answers by path prefix, and what it was asked."""

    url: str = ""
    answers: dict[str, tuple[int, Any]] = field(
        default_factory=lambda: {
            "/v1/uris:search": (200, LISTED),
            "/v3/targets": (200, RATED),
            "/domain/": (200, registered("2026-02-20T10:00:00Z")),
        }
    )
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    may_answer: threading.Event = field(default_factory=threading.Event)

    def set(self, prefix: str, answer: Any, *, status: int = 200) -> None:
        self.answers[prefix] = (status, answer)


@contextmanager
def serving() -> Iterator[Providers]:
    """Serve on a free port of the loopback until the block ends."""
    providers = Providers()
    providers.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            providers.asked.append((self.path, headers))
            status, answer = next(
                said for prefix, said in providers.answers.items() if self.path.startswith(prefix)
            )
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            providers.may_answer.wait(5)
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("location", body.decode())
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    providers.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield providers
    finally:
        server.shutdown()
        server.server_close()
