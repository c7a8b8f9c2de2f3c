"""Progress of a process's threads, counted in heartbeats of its event loop."""

from __future__ import annotations

import threading


class Progress:
    """Counts the requests that run and those that were finished."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._finished = 0
        self._finished_before = 0
        self.stalled_beats = 0
        """The number of beats in a row during which requests ran and none finished."""

    def begin(self) -> None:
        """Note that a thread has taken a request."""
        with self._lock:
            self._running += 1

    def finish(self) -> None:
        """Note that a thread has finished a request."""
        with self._lock:
            self._running -= 1
            self._finished += 1

    def beat(self) -> None:
        """Compare with the previous beat. Beats, not seconds: a paused machine is not a stalled process."""
        with self._lock:
            has_moved = self._finished != self._finished_before or not self._running
            self._finished_before = self._finished
            self.stalled_beats = 0 if has_moved else self.stalled_beats + 1
