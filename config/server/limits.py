"""How much a request may take of a web process, and for how long; the operator's guide says the same."""

from __future__ import annotations

from dataclasses import dataclass

CONNECTIONS = 4_096
"""Open connections of a process. More wait in the kernel; idle ones are closed after HEADER_SECONDS."""
BACKLOG = 2_048
HEADER_SECONDS = 30
"""For all headers of a request, and for a connection between two requests."""
HEADER_BYTES = 65_536
REPLACE_SECONDS = 20
"""On SIGHUP a process has this long to start before the one that it replaces is told to stop."""
STOP_SECONDS = 10
"""What is being answered when the server is told to stop may take so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one process allows; each counts for itself."""

    threads: int = 4
    """Requests that Django answers at once; more threads of an interpreter lengthen each other's answers."""
    waiting: int = 512
    """Requests whose body is there and that wait for a thread; what comes on top is answered 503."""
    waiting_seconds: float = 20.0
    """So long a request waits before it is answered 503."""
    body_bytes: int = 12 * 1024 * 1024
    """A bulk request holds 10 MB; Django refuses more than this, too (DATA_UPLOAD_MAX_MEMORY_SIZE)."""
    body_seconds: float = 15.0
    """A body has this long, and a second more for every `body_bytes_per_second` of it that have come."""
    body_bytes_per_second: int = 16_384
    body_seconds_at_most: float = 120.0
    held_bytes: int = 256 * 1024 * 1024
    """Bodies in memory, of all addresses together."""
    held_bytes_per_address: int = 128 * 1024 * 1024
    piece_bytes: int = 65_536
    """An answer no larger than four of these is handed over at once, a larger one piece by piece."""
    piece_seconds: float = 30.0
    """A reader who does not take a piece within this time is cut off."""
    stalled_beats: int = 120
    """A process that answers requests and has finished none for as many seconds is dead."""
