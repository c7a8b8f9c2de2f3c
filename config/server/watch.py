"""Supervision of web processes by their parent: one without heartbeat or progress is killed and replaced.

The criterion is progress, not the duration of a request: a server under load is left alone.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

STARTING_BEATS = 600
"""Until its first heartbeat a process is still importing, which takes minutes on a busy machine."""


class Progress:
    """Counts the requests of a process that run and those that were finished, in beats of its event loop."""

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


@dataclass(slots=True)
class _Seen:
    has_beaten: bool = False
    silent: int = 0
    stalled: int = 0


class Judge:
    """Holds the last heartbeat of each process, and decides which to replace."""

    def __init__(self, *, silent_beats: int, stalled_beats: int) -> None:
        self._silent_beats = silent_beats
        self._stalled_beats = stalled_beats
        self._seen: dict[int, _Seen] = {}

    def hear(self, process: int, *, stalled: int) -> None:
        """Note a beat."""
        self._seen[process] = _Seen(has_beaten=True, stalled=stalled)

    def tick(self, processes: Sequence[int]) -> dict[int, str]:
        """Let a second pass; return those to be replaced, with the reason."""
        self._seen = {process: self._seen.get(process, _Seen()) for process in processes}
        condemned = {}
        for process, seen in self._seen.items():
            seen.silent += 1
            if seen.stalled >= self._stalled_beats:
                condemned[process] = "finishes no request"
            elif seen.silent > (self._silent_beats if seen.has_beaten else STARTING_BEATS):
                condemned[process] = "does not run" if seen.has_beaten else "does not start"
        return condemned
