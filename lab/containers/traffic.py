"""A platform at work beside a trial: posts, decisions and a poller, and what must have become of them.

Each keeps only what was acknowledged to it. `findings` then says what was lost, doubled or out of order.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Self

from lab.containers.client import Api, Refused
from lab.containers.engine import Failed

_TEXTS = (
    "Has anybody seen my grey cat near the river?",
    "Cheap pills, no prescription! Call 1-800-555-0199",
    "Win a phone today: click http://prizes.example/now before it ends",
    "The meeting moved to four o'clock, see you there",
    "I lost my job and work from home now, ask me how to earn 300 a day",
)
_SETTLED_SECONDS = 300


class Beside:
    """Work that threads repeat beside a trial. A context manager, which ends them, each after its last
    answer.
    """

    def __init__(self, *works: Callable[[], None], pause_seconds: float) -> None:
        self._pause = pause_seconds
        self._ended = threading.Event()
        self._failures: list[str] = []
        """Why works gave up, and what they saw that must not be."""
        self._threads = [threading.Thread(target=self._repeat, args=(work,)) for work in works]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End all of them."""
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, work: Callable[[], None]) -> None:
        while not self._ended.wait(self._pause):
            try:
                work()
            except Failed as failure:
                self._failures.append(str(failure))
                return


class Traffic(Beside):
    """Posts, decisions and polls in three threads. A context manager, which ends them."""

    def __init__(self, api: Api, *, seconds_between_posts: float = 0.5) -> None:
        super().__init__(self._send, self._review, self._poll, pause_seconds=seconds_between_posts)
        self._api = api
        self._run = uuid.uuid4().hex[:8]
        self.prefix = f"trial-{self._run}-"
        self.posts: list[str] = []
        self.acknowledged_at: list[float] = []
        self.decided: dict[str, str] = {}
        self.read: list[str] = []
        self._cursor = ""
        self._acknowledged_at = time.monotonic()
        self._longest_pause = 0.0

    def check(self) -> None:
        """Raise Failed if one of the three gave up."""
        if self._failures:
            raise Failed("; ".join(self._failures))

    @property
    def counts(self) -> str:
        """Say how far it is."""
        return f"{len(self.posts)} posts, {len(self.decided)} decisions, {len(self.read)} read"

    def longest_pause(self) -> float:
        """Return the longest time, in seconds, without an acknowledged post since this was last asked."""
        longest = max(self._longest_pause, time.monotonic() - self._acknowledged_at)
        self._longest_pause = 0.0
        return longest

    def findings(self) -> list[str]:
        """Wait until everything acknowledged has had its effect; return what has not, or has had it twice."""
        self.check()
        until = time.monotonic() + _SETTLED_SECONDS
        waiting, unread = set(self.posts), set(self.decided)
        while waiting or unread:
            waiting -= {name for name in waiting if self._is_scored(name)}
            self._poll()
            unread = set(self.decided) - set(self.read)
            if time.monotonic() > until:
                break
            time.sleep(0.5)
        repeated = [name for name, count in Counter(self.read).items() if count > 1]
        problems = {
            "acknowledged posts without a score": sorted(waiting),
            "acknowledged decisions that the poller did not read": sorted(unread),
            "decisions read twice": repeated,
        }
        return [f"{len(names)} {what}: {', '.join(names[:5])}" for what, names in problems.items() if names]

    def _send(self) -> None:
        name = f"{self.prefix}{len(self.posts)}"
        body: dict[str, object] = {
            "external_id": name,
            "text": f"{_TEXTS[len(self.posts) % len(_TEXTS)]} ({name})",
            "posted_at": datetime.now(UTC).isoformat(),
            "author": {"external_id": f"author-{self._run}-{len(self.posts) % 7}"},
        }
        self._api.post("/posts", body)
        self.posts.append(name)
        now = time.monotonic()
        self.acknowledged_at.append(now)
        self._longest_pause = max(self._longest_pause, now - self._acknowledged_at)
        self._acknowledged_at = now

    def _review(self) -> None:
        for case in self._api.post("/queues/all/claims", {"count": 2})["cases"]:
            verdict = "spam" if (case["spam_probability"] or 0.0) >= 0.5 else "not_spam"
            try:
                body: dict[str, object] = {"verdict": verdict, "version": case["version"]}
                answer = self._api.post(f"/cases/{case['id']}/decisions", body)
            except Refused as refusal:
                # Scored again after an outage, or its claim ran out in one: it comes back with a new version.
                if refusal.status not in (404, 409, 410, 412):
                    raise
            else:
                self.decided[str(answer["id"])] = str(case["id"])

    def _poll(self) -> None:
        path = f"/decisions?limit=100&cursor={self._cursor}" if self._cursor else "/decisions?limit=100"
        page = self._api.get(path)
        self.read += [str(row["id"]) for row in page["data"]]
        self._cursor = page["next_cursor"] or self._cursor

    def _is_scored(self, name: str) -> bool:
        post = self._api.get(f"/posts?external_id={name}")
        return post["score_state"] == "scored" and bool(post["scores"])
