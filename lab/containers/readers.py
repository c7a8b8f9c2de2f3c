"""People at the desk beside a trial: what they wait for a page, and how old what they see is.

One only looks, at pages that may be read from a standby. Another changes something before each look, and must
see everything that was acknowledged before it.
"""

from __future__ import annotations

import re
import time

from lab.containers.client import Desk
from lab.containers.engine import Failed
from lab.containers.traffic import Beside, Traffic

PAGES = ("/posts/", "/queue/", "/posts/", "/decisions/", "/quality/", "/today/")
MARK = "wrote"
"""The cookie of who has just changed something (`moderation/web/middleware/standby_reads.py`)."""

MOST_SECONDS_OLD = 19.0
"""The promise of `moderation/standby.py`."""

_PAUSE_SECONDS = 0.3


class Readers(Beside):
    """Two threads, each a person who has signed in. A context manager, which ends them."""

    def __init__(self, traffic: Traffic, *, looks: Desk, changes: Desk) -> None:
        super().__init__(
            lambda: self._look(looks), lambda: self._change(changes), pause_seconds=_PAUSE_SECONDS
        )
        self._traffic = traffic
        self._longest_wait = 0.0
        self.pages = self.changes = 0
        self.oldest_seconds = 0.0

    def longest_wait(self) -> float:
        """Return the longest wait for a page, in seconds and repetitions included, since last asked."""
        longest, self._longest_wait = self._longest_wait, 0.0
        return longest

    def findings(self) -> list[str]:
        """Return what was seen that contradicts the promise."""
        findings = list(self._failures)
        if self.oldest_seconds > MOST_SECONDS_OLD:
            findings.append(f"a page was {self.oldest_seconds:.1f} s old")
        return findings

    def _look(self, desk: Desk) -> None:
        desk.cookies.pop(MARK, None)
        path = PAGES[self.pages % len(PAGES)]
        began = time.monotonic()
        at, page = self._answered(desk, path)
        self._longest_wait = max(self._longest_wait, time.monotonic() - began)
        self.pages += 1
        if path == "/posts/" and page:
            missing = self._traffic.acknowledged_at[self._shown(page) :]
            self.oldest_seconds = max([self.oldest_seconds, *(at - time_of_post for time_of_post in missing)])

    def _change(self, desk: Desk) -> None:
        """Change something, then look for every post acknowledged before."""
        desk.cookies.pop(MARK, None)
        try:
            desk.submit("/language/", {"language": "en"}, form="/account/")
            acknowledged = len(self._traffic.acknowledged_at)
            status, page = desk.open("/posts/")
        except Failed:
            return  # during an outage; the other one says how long it is
        if status != 200:
            return
        if MARK not in desk.cookies:
            self._failures.append("a change leaves no mark in the browser")
        if (count := self._shown(page)) < acknowledged:
            self._failures.append(f"who has just changed something sees {count} of {acknowledged} posts")
        self.changes += 1

    def _answered(self, desk: Desk, path: str) -> tuple[float, str]:
        """Repeat a page until it is answered; return when that request was sent, and the page."""
        while not self._ended.is_set():
            at = time.monotonic()
            try:
                status, page = desk.open(path)
            except Failed:
                status, page = 0, ""
            if status == 200:
                return at, page
            time.sleep(_PAUSE_SECONDS)
        return 0.0, ""

    def _shown(self, page: str) -> int:
        """Return how many of the platform's posts were there when the list, newest first, was read."""
        numbers = re.findall(rf"{re.escape(self._traffic.prefix)}(\d+)", page)
        return 1 + max(map(int, numbers), default=-1)
