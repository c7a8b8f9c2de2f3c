"""Send a simulated world through the API, at its own pace or as fast as possible, and count."""

import dataclasses
import json
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from simulation.api_client import ApiClient
from simulation.events import ComplaintEvent, Event, PostEvent
from simulation.web import register

_SHOWN_REFUSALS = 5


class Sending:
    """Sends events in order; posts and complaints wait until a bulk request is full."""

    def __init__(
        self,
        *,
        api: ApiClient,
        truth: Path,
        bulk: int,
        rate: float,
        complain: Callable[[str], object],
    ) -> None:
        self.posts = self.complaints = self.refused = 0
        self._api = api
        self._bulk = bulk
        self._rate = rate
        self._complain = complain
        self._waiting_posts: list[PostEvent] = []
        self._waiting_complaints: list[ComplaintEvent] = []
        self._begun = time.monotonic()
        truth.parent.mkdir(parents=True, exist_ok=True)
        self._truth = truth.open("a", encoding="utf-8")
        self._web = truth.with_name(register.FILE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._truth.close()

    def send(self, events: Iterable[Event], *, is_live: bool) -> None:
        """Send events; live ones not before their time. Raises what the client raises."""
        for event in events:
            if is_live:
                _sleep_until(event.at)
            if isinstance(event, PostEvent):
                self._waiting_posts.append(event)
            else:
                self._waiting_complaints.append(event)
            if is_live or len(self._waiting_posts) >= self._bulk:
                self._flush()
            self._show()
        self._flush()

    def _flush(self) -> None:
        """Send the posts that wait, then the complaints: nobody complains about a post before it is out."""
        posts, self._waiting_posts = self._waiting_posts, []
        complaints, self._waiting_complaints = self._waiting_complaints, []
        # Before the request: nobody could tell any more what a stored post is.
        self._truth.writelines(map(truth_line, posts))
        self._truth.flush()
        # Also before: a post's links may be fetched as soon as it is stored.
        register.write((site for post in posts for site in post.sites), path=self._web)
        if posts:
            self._count(self._api.send_posts([post.payload for post in posts]))
            self.posts += len(posts)
        for complaint in complaints:
            self._count(self._api.send_complaint(complaint.payload))
            self.complaints += 1
        if self._rate:
            time.sleep(max(0.0, self._begun + self.posts / self._rate - time.monotonic()))

    def _count(self, refusals: list[str]) -> None:
        for refusal in refusals:
            if self.refused < _SHOWN_REFUSALS:
                self._complain(f"refused: {refusal}")
            self.refused += 1

    def _show(self) -> None:
        """Keep one line up to date, on a terminal only."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{self}\x1b[K")
            sys.stderr.flush()

    def __str__(self) -> str:
        """Return the progress line."""
        seconds = max(time.monotonic() - self._begun, 1e-3)
        return (
            f"simulated: {self.posts} posts ({self.posts / seconds:.1f}/s), "
            f"{self.complaints} complaints, {self.refused} refused"
        )


def truth_line(post: PostEvent) -> str:
    """Return what a post really is as a line of truth.jsonl."""
    truth = {"external_id": post.payload["external_id"], **dataclasses.asdict(post.truth)}
    return json.dumps(truth, ensure_ascii=False) + "\n"


def _sleep_until(at: datetime) -> None:
    time.sleep(max(0.0, (at - datetime.now(UTC)).total_seconds()))
