"""How many posts this process scores at a time: by the seconds that posts took it lately.

A busy machine takes a minute for what a free one does in two seconds. A batch that runs into its task's time
limit is lost whole, so batches get smaller instead, and a task ends in time.
"""

from __future__ import annotations

import threading

from moderation import enqueue

SECONDS = 8.0
"""What a batch may take: small enough that a task scores several, each stored before the next begins."""
TASK_SECONDS = 30.0
"""No batch begins that would end later in its task. The soft time limit is 45 s, a lease 60 s."""
_FIRST = 16
_WEIGHT = 0.5


class Pace:
    """Seconds a post, as a moving mean. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._post_seconds = SECONDS / _FIRST

    def size(self, *, used_seconds: float = 0.0) -> int:
        """Return how many posts to take next in a task that has used so many seconds; 0 if it should end."""
        with self._lock:
            fitting = int(min(SECONDS, TASK_SECONDS - used_seconds) / self._post_seconds)
        if used_seconds and fitting < 1:
            return 0
        return min(max(1, fitting), enqueue.SCORING_CHUNK)

    def took(self, posts: int, *, seconds: float) -> None:
        """Note a batch that was stored."""
        with self._lock:
            latest = max(seconds / posts, SECONDS / enqueue.SCORING_CHUNK / 10)
            self._post_seconds += _WEIGHT * (latest - self._post_seconds)

    def timed_out(self) -> None:
        """Note a batch that its task's time limit ended: halve the next."""
        with self._lock:
            self._post_seconds *= 2.0


of_process = Pace()
