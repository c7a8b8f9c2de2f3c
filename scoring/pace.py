"""How many items to process at a time, by the seconds that each took lately.

A busy machine takes a minute for what a free one does in two seconds. Work that runs into its time limit is
lost whole, so it is taken in smaller pieces instead.
"""

_LEAST_SECONDS = 0.001
_WEIGHT = 0.5


class Pace:
    """A moving mean of seconds per item; batch sizes that take about `seconds`, within bounds.

    Shared by threads: a lost update changes one size a little.
    """

    def __init__(self, *, seconds: float, first: int, most: int, least: int = 1) -> None:
        self._seconds, self._most, self._least = seconds, most, least
        self._each = seconds / first

    def size(self) -> int:
        """Return the size of the next batch: at least one, however long it takes."""
        return min(max(self._least, int(self._seconds / self._each)), self._most)

    def expected(self, count: int) -> float:
        """Return the expected seconds for that many items."""
        return count * self._each

    def took(self, count: int, *, seconds: float) -> None:
        """Record a finished batch: the next one is at least half as large."""
        latest = max(seconds / count, _LEAST_SECONDS)
        self._each = min(self._each + _WEIGHT * (latest - self._each), 2.0 * self._each)

    def timed_out(self) -> None:
        """Record a batch that timed out: the next one is half as large."""
        self._each = max(self._each, min(2.0 * self._each, self._seconds))
