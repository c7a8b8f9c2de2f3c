"""The simulated web over HTTP, on 127.0.0.1 only: `python -m simulation.web.server --help`.

It serves every host by the header Host. Nothing on it is real.
"""

import argparse
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from simulation.web.register import Register
from simulation.web.simulated_web import Reply, SimulatedWeb

LOOPBACK = "127.0.0.1"
_MOST_SECONDS = 10.0


class WebServer(ThreadingHTTPServer):
    """Answers from a simulated web; `clock` says when it is asked."""

    daemon_threads = True

    def __init__(self, web: SimulatedWeb, *, port: int, clock: Callable[[], datetime]) -> None:
        self.web, self.clock = web, clock
        super().__init__((LOOPBACK, port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: WebServer
    timeout = _MOST_SECONDS
    server_version, sys_version = "SimulatedWeb", ""

    def do_GET(self) -> None:
        """Answer as the site of the host would; close without an answer where nothing answers."""
        url = f"http://{self.headers.get('host', '')}{self.path}"
        reply = self.server.web.answer(url, agent=self.headers.get("user-agent", ""), at=self.server.clock())
        with suppress(OSError):  # the visitor had enough
            if reply is not None:
                self._send(reply)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        if reply.location:
            self.send_header("location", reply.location.encode("ascii", "ignore").decode())
        self.send_header("content-type", reply.content_type)
        self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


def main() -> None:
    """Serve the sites of a file, also those that are added to it, until killed."""
    options = argparse.ArgumentParser(description="Serve the simulated web on this machine alone.")
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--file", type=Path, required=True)
    arguments = options.parse_args()
    web = SimulatedWeb(find=Register(arguments.file).find)
    WebServer(web, port=arguments.port, clock=lambda: datetime.now(UTC)).serve_forever()


if __name__ == "__main__":
    main()
