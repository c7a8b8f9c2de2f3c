"""A real SMTP server, RFC 5321, that keeps what it got or answers as it is told."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import Message


class MailServer(socketserver.ThreadingTCPServer):
    """Answers RCPT with `status`, and hangs up after a mail if `hangs_up`, as if it had been killed."""

    daemon_threads = allow_reuse_address = True
    status, hangs_up = 250, False
    got: list[Message]


class _Handler(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say(220)
        while command := self.rfile.readline()[:4].upper():
            if command == b"DATA":
                self._say(354)
                lines = iter(self.rfile.readline, b".\r\n")
                self.server.got.append(message_from_bytes(b"".join(lines), policy=policy.default))
                if self.server.hangs_up:
                    return
            self._say(self.server.status if command == b"RCPT" else 221 if command == b"QUIT" else 250)

    def _say(self, status: int) -> None:
        self.wfile.write(b"%d so\r\n" % status)


@contextmanager
def listening(port: int = 0) -> Iterator[MailServer]:
    """Run a mail server."""
    server = MailServer(("127.0.0.1", port), _Handler)
    server.got = []
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
