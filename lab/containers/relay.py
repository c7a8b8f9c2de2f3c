"""A port of the loopback address that leads to whichever pod answers: what a Service does in a cluster."""

from __future__ import annotations

import itertools
import socket
import socketserver
import threading
from collections.abc import Sequence
from contextlib import suppress

_CONNECTED_SECONDS = 2.0
_IDLE_SECONDS = 60.0
_BYTES = 65_536


class Relay(socketserver.ThreadingTCPServer):
    """Takes connections on `port` and passes them on, in turn, to the addresses that take them."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, *, port: int, targets: Sequence[tuple[str, int]]) -> None:
        super().__init__(("127.0.0.1", port), _Passed)
        self._targets = tuple(targets)
        self._turns = itertools.count()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Take no more connections."""
        self.shutdown()
        self.server_close()

    def connect(self) -> socket.socket | None:
        """Return a connection to the next target that takes one."""
        turn = next(self._turns)
        for number in range(len(self._targets)):
            target = self._targets[(turn + number) % len(self._targets)]
            with suppress(OSError):
                return socket.create_connection(target, timeout=_CONNECTED_SECONDS)
        return None


class _Passed(socketserver.BaseRequestHandler):
    """One connection, in both directions until either side ends."""

    def handle(self) -> None:
        assert isinstance(self.server, Relay)
        there = self.server.connect()
        if there is None:
            return
        here: socket.socket = self.request
        with there:
            for connection in (here, there):
                connection.settimeout(_IDLE_SECONDS)
            back = threading.Thread(target=_copy, args=(there, here), daemon=True)
            back.start()
            _copy(here, there)
            back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_BYTES):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
