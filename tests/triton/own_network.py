"""Run a server in a network of its own, reached over a Unix socket: some listen on every address.

Usage, inside `unshare --net`: own_network.py SOCKET PORT COMMAND...
"""

from __future__ import annotations

import fcntl
import socket
import struct
import subprocess
import sys
import threading
from contextlib import suppress

_SET_FLAGS, _UP = 0x8914, 0x1


def main(path: str, port: str, *command: str) -> None:
    """Relay the socket to the port of the command until it ends."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as loopback:
        fcntl.ioctl(loopback, _SET_FLAGS, struct.pack("16sh", b"lo", _UP))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    threading.Thread(target=_accept, args=(listener, int(port)), daemon=True).start()
    sys.exit(subprocess.run(command, check=False).returncode)


def _accept(listener: socket.socket, port: int) -> None:
    while True:
        asking, _ = listener.accept()
        try:
            server = socket.create_connection(("127.0.0.1", port))
        except OSError:
            asking.close()
            continue
        for one, other in ((asking, server), (server, asking)):
            threading.Thread(target=_copy, args=(one, other), daemon=True).start()


def _copy(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
    with suppress(OSError):
        other.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    main(*sys.argv[1:])
