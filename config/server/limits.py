"""Limits of requests per web process; the operator's guide lists them."""

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
"""Time to finish running requests when the server stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one process allows; each counts for itself."""

    threads: int = 4
    """Requests that Django answers at once; more threads of an interpreter lengthen each other's answers."""
    waiting: int = 512
    """Requests with a complete body that wait for a thread; beyond that 503."""
    waiting_seconds: float = 20.0
    """Longest wait for a thread before the answer is 503."""
    body_bytes: int = 12 * 1024 * 1024
    """A bulk request holds 10 MB; Django refuses more than this, too (DATA_UPLOAD_MAX_MEMORY_SIZE)."""
    body_seconds: float = 15.0
    """Time for a body, plus a second for every `body_bytes_per_second` received."""
    body_bytes_per_second: int = 16_384
    body_seconds_at_most: float = 120.0
    held_bytes: int = 256 * 1024 * 1024
    """Bodies in memory, of all addresses together."""
    held_bytes_per_address: int = 128 * 1024 * 1024
    piece_bytes: int = 65_536
    """Chunk size: an answer up to four chunks is sent at once, a larger one chunk by chunk."""
    piece_seconds: float = 30.0
    """A reader that does not accept a chunk within this time is disconnected."""
    stalled_beats: int = 120
    """A process with running requests that finished none for this many seconds counts as dead."""
