"""What a web process tells its parent every second: that its event loop runs, and whether requests do."""

from __future__ import annotations

import contextlib
import os
import signal
import socket

from config.server.progress import Progress

ADDRESS = "SPAMDESK_WEB_BEATS"
"""The variable by which the parent says where it listens; without it nobody does."""


class Beat:
    """A process's sign of life."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._parent = os.getppid()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.settimeout(0)
        self._address = os.environ.get(ADDRESS, "")

    def close(self) -> None:
        """Fall silent; the process ends."""
        self._socket.close()

    def send(self) -> None:
        """Beat once. A process whose parent has died stops: it would hold the port for good."""
        self._progress.beat()
        if not self._address:
            return
        with contextlib.suppress(OSError):  # a stopped parent's queue is full; there will be another beat
            self._socket.sendto(f"{os.getpid()} {self._progress.stalled_beats}".encode(), self._address)
        if os.getppid() != self._parent:
            os.kill(os.getpid(), signal.SIGTERM)
