"""A TCP port in front of a Unix socket, for clients that know TCP only."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def forwarded(path: Path) -> Iterator[int]:
    """Listen on loopback, give the port, and pass every connection on to the socket."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, path), daemon=True).start()
        yield listener.getsockname()[1]


def _accept(listener: socket.socket, path: Path) -> None:
    with suppress(OSError):  # the listener was closed: nobody asks any more
        while True:
            caller, _ = listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(path))
            for one, other in ((caller, server), (server, caller)):
                threading.Thread(target=_copy, args=(one, other), daemon=True).start()


def _copy(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while piece := one.recv(65_536):
            other.sendall(piece)
    for end in (one, other):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
