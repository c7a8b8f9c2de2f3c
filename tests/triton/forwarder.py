"""Pass connections on between TCP and Unix sockets.

`forwarded` is a TCP port in front of a Unix socket, for clients that know TCP only. As a program, inside
`unshare --net`, `forwarder.py SOCKET PORT COMMAND...` runs a server in a network of its own, reached over a
Unix socket: some listen on every address.
"""

import fcntl
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_SET_FLAGS, _UP = 0x8914, 0x1
_Connect = Callable[[], socket.socket]


@contextmanager
def forwarded(path: Path) -> Iterator[int]:
    """Listen on loopback, give the port, and pass every connection on to the socket."""

    def connect() -> socket.socket:
        server = socket.socket(socket.AF_UNIX)
        server.connect(str(path))
        return server

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, connect), daemon=True).start()
        yield listener.getsockname()[1]


def main(path: str, port: str, *command: str) -> None:
    """Relay the socket to the port of the command until it ends."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as loopback:
        fcntl.ioctl(loopback, _SET_FLAGS, struct.pack("16sh", b"lo", _UP))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()

    def connect() -> socket.socket:
        return socket.create_connection(("127.0.0.1", int(port)))

    threading.Thread(target=_accept, args=(listener, connect), daemon=True).start()
    sys.exit(subprocess.run(command, check=False).returncode)


def _accept(listener: socket.socket, connect: _Connect) -> None:
    with suppress(OSError):  # the listener was closed: nobody asks any more
        while True:
            caller, _ = listener.accept()
            try:
                server = connect()
            except OSError:  # nobody listens there yet
                caller.close()
                continue
            for one, other in ((caller, server), (server, caller)):
                threading.Thread(target=_copy, args=(one, other), daemon=True).start()


def _copy(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while piece := one.recv(65_536):
            other.sendall(piece)
    for end in (one, other):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


if __name__ == "__main__":
    main(*sys.argv[1:])
