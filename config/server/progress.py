"""Progress of a process's threads, counted in heartbeats of its loop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Progress:
    """Counts the requests that run and those that were finished."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._finished = 0
        self._finished_before = 0
        self._next_beat = time.monotonic()
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

    def counting(self, application: Application) -> Application:
        """Return the application with its requests counted."""

        def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
            self.begin()
            try:
                return application(environ, start)
            finally:
                self.finish()

        return answer

    def has_second_passed(self) -> bool:
        """Beat once a second; return whether a beat was due."""
        if time.monotonic() < self._next_beat:
            return False
        self._next_beat = time.monotonic() + 1
        self.beat()
        return True

    def beat(self) -> None:
        """Compare with the previous beat. Beats, not seconds: a paused machine is not a stalled process."""
        with self._lock:
            has_moved = self._finished != self._finished_before or not self._running
            self._finished_before = self._finished
            self.stalled_beats = 0 if has_moved else self.stalled_beats + 1
