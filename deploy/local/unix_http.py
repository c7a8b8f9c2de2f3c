"""HTTP over a Unix socket, which http.client does not know of by itself."""

import http.client
import socket
from pathlib import Path


class UnixConnection(http.client.HTTPConnection):
    """A connection to a server that listens on a socket file."""

    def __init__(self, path: Path, *, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))
