"""Heartbeats of a web process to its parent, every second: the event loop runs, requests finish."""

from __future__ import annotations

import contextlib
import os
import signal
import socket

from config.server.progress import Progress

ADDRESS = "SPAMDESK_WEB_BEATS"
"""The environment variable with the parent's queue; without it there are no heartbeats."""


class Beat:
    """The heartbeats of one process."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._parent = os.getppid()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.settimeout(0)
        self._address = os.environ.get(ADDRESS, "")

    def close(self) -> None:
        """Stop the heartbeats; the process ends."""
        self._socket.close()

    def send(self) -> None:
        """Send one heartbeat. A process whose parent has died stops, or it would keep the port for ever."""
        self._progress.beat()
        if not self._address:
            return
        with contextlib.suppress(OSError):  # the queue of a stopped parent is full; skip this beat
            self._socket.sendto(f"{os.getpid()} {self._progress.stalled_beats}".encode(), self._address)
        if os.getppid() != self._parent:
            os.kill(os.getpid(), signal.SIGTERM)
