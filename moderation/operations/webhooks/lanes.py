"""Share this process's webhook threads fairly: no endpoint and no platform takes all of them.

Counted in memory, not in the database, since the threads belong to this process.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

MOST_SUSPECTS = 8
"""How many endpoints that failed or were slow lately may be served at once.

How many threads there are stands in deploy/local/application.py.
"""

MOST_PER_PLATFORM = 8


class Lanes:
    """Counts the endpoints that are being served, by platform, and the suspects among them."""

    def __init__(self, *, suspects: int = MOST_SUSPECTS, per_platform: int = MOST_PER_PLATFORM) -> None:
        self._most_suspects, self._most_per_platform = suspects, per_platform
        self._suspects = 0
        self._platforms: Counter[int] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def place(self, *, platform_id: int, is_suspect: bool) -> Iterator[bool]:
        """Yield whether there is a free place, which is held until the block is left."""
        is_free = self._enter(platform_id, is_suspect=is_suspect)
        try:
            yield is_free
        finally:
            if is_free:
                self._leave(platform_id, is_suspect=is_suspect)

    def _enter(self, platform_id: int, *, is_suspect: bool) -> bool:
        with self._lock:
            if self._platforms[platform_id] >= self._most_per_platform:
                return False
            if is_suspect and self._suspects >= self._most_suspects:
                return False
            self._platforms[platform_id] += 1
            self._suspects += is_suspect
            return True

    def _leave(self, platform_id: int, *, is_suspect: bool) -> None:
        with self._lock:
            self._suspects -= is_suspect
            self._platforms[platform_id] -= 1
            if not self._platforms[platform_id]:
                del self._platforms[platform_id]
