"""How many posts this process scores at a time: by the seconds that posts took it lately.

A busy machine takes a minute for what a free one does in two seconds. A batch that runs into its task's time
limit is lost whole, so batches get smaller instead, and a task ends in time.
"""

from __future__ import annotations

from moderation import enqueue

SECONDS = 8.0
"""What a batch may take: small enough that a task scores several, each stored before the next begins."""
TASK_SECONDS = 30.0
"""No second batch begins that would end later in its task. The soft time limit is 45 s, a lease 60 s."""
_FIRST = 16
_LEAST_POST_SECONDS = 0.001
_WEIGHT = 0.5


class Pace:
    """Seconds a post, as a moving mean."""

    def __init__(self) -> None:
        self._post_seconds = SECONDS / _FIRST

    def size(self) -> int:
        """Return how many posts to take next: at least one, however long it takes."""
        return min(max(1, int(SECONDS / self._post_seconds)), enqueue.SCORING_CHUNK)

    def has_time(self, posts: int, *, used_seconds: float) -> bool:
        """Tell whether a task that has used so many seconds has time for so many posts more."""
        return used_seconds + posts * self._post_seconds <= TASK_SECONDS

    def took(self, posts: int, *, seconds: float) -> None:
        """Note a batch that was stored."""
        latest = max(seconds / posts, _LEAST_POST_SECONDS)
        self._post_seconds += _WEIGHT * (latest - self._post_seconds)

    def timed_out(self) -> None:
        """Note a batch that its task's time limit ended: halve the next."""
        self._post_seconds *= 2.0


of_process = Pace()
