"""Pollers of `GET /decisions` that keep what they read, and a count of it against the database."""

import threading
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

LIMITS = (1, 7, 100, 500)

_OF_PLATFORM = """
SELECT d.id FROM moderation_decision d
JOIN moderation_post p ON p.id = d.post_id JOIN moderation_platform f ON f.id = p.platform_id AND f.slug = %s
LEFT JOIN moderation_reversal r ON r.decision_id = d.id
"""
_TOLD = f"{_OF_PLATFORM} WHERE r.id IS NULL OR r.replacement_id IS NOT NULL"
_UNDONE = f"{_OF_PLATFORM} WHERE r.id IS NOT NULL AND r.replacement_id IS NULL"
_WAITING = """
SELECT e.decision_id FROM moderation_feedentry e
JOIN moderation_platform f ON f.id = e.platform_id AND f.slug = %s
WHERE e.number IS NULL AND e.stream = 'decisions'
"""


class Source(Protocol):
    """A product: the API with one platform's key, and the database behind it."""

    def api(self) -> httpx.Client:
        """Return a client of the API."""

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what the database says."""


class Poller(threading.Thread):
    """Reads by its cursor until told to stop, and asks again when nobody answers."""

    def __init__(
        self,
        source: Source,
        *,
        limit: int,
        pause_seconds: float = 0.2,
    ) -> None:
        super().__init__(daemon=True)
        self._source, self.limit, self._pause_seconds = source, limit, pause_seconds
        self._is_over = threading.Event()
        self.rows: list[dict[str, Any]] = []
        self.cursor: str | None = None
        self.failed = 0

    def run(self) -> None:
        while not self._is_over.is_set():
            try:
                with self._source.api() as api:
                    while not self._is_over.is_set():
                        self._poll(api)
            except (httpx.HTTPError, ValueError):
                self.failed += 1
                self._is_over.wait(0.5)

    def stop(self) -> None:
        self._is_over.set()
        self.join(60)

    def _poll(self, api: httpx.Client) -> None:
        query: dict[str, Any] = {"limit": self.limit} | ({"cursor": self.cursor} if self.cursor else {})
        page = api.get("/decisions", params=query).raise_for_status().json()
        self.rows += page["data"]
        self.cursor = page["next_cursor"]
        if not page["has_more"]:
            self._is_over.wait(self._pause_seconds)


@dataclass(frozen=True, kw_only=True)
class Found:
    """What one poller read, against what the database holds."""

    limit: int
    read: int
    skipped: int
    doubled: int
    out_of_order: int
    undone: int
    asked_again: int

    @property
    def is_whole(self) -> bool:
        """Tell whether each was read exactly once, in order, and nothing that was undone."""
        return not (self.skipped or self.doubled or self.out_of_order or self.undone)

    def __str__(self) -> str:
        return (
            f"limit {self.limit}: {self.read} read, {self.skipped} skipped, {self.doubled} doubled,"
            f" {self.out_of_order} out of order, {self.undone} undone, asked again {self.asked_again} times"
        )


def wait_until_read(
    source: Source, pollers: list[Poller], *, platform: str, patience_seconds: float = 300
) -> None:
    """Wait until nothing is unnumbered and no poller has anything to read, as long as one of them reads on.

    What is unread after `patience_seconds` without any progress is counted as skipped.
    """
    rows, ends_at = 0, time.monotonic() + patience_seconds
    while time.monotonic() < ends_at:
        number = len(_ids(source, _TOLD, platform))
        if not _ids(source, _WAITING, platform) and all(len(poller.rows) >= number for poller in pollers):
            return
        before, rows = rows, sum(len(poller.rows) for poller in pollers)
        if rows > before:
            ends_at = time.monotonic() + patience_seconds
        time.sleep(0.5)


def compare(source: Source, pollers: list[Poller], *, platform: str) -> list[Found]:
    """Count for each poller. All must have read in the same order, that of the first."""
    ids, undone = _ids(source, _TOLD, platform), _ids(source, _UNDONE, platform)
    first = [row["id"] for row in pollers[0].rows]
    return [
        Found(
            limit=poller.limit,
            read=len(poller.rows),
            skipped=len(ids - {int(row["id"]) for row in poller.rows}),
            doubled=sum(count - 1 for count in Counter(row["id"] for row in poller.rows).values()),
            out_of_order=_out_of_order(poller.rows)
            + sum(a != b for a, b in zip(first, (row["id"] for row in poller.rows), strict=False)),
            undone=len(undone & {int(row["id"]) for row in poller.rows}),
            asked_again=poller.failed,
        )
        for poller in pollers
    ]


def _ids(source: Source, query: str, platform: str) -> set[int]:
    return {row[0] for row in source.rows(query, platform)}


def _out_of_order(rows: list[dict[str, Any]]) -> int:
    """Count steps back in time, replacements before their originals, and a post's decisions out of turn."""
    wrong, before, newest, ids = 0, "", dict[str, int](), set[str]()
    for row in rows:
        entered_at = row["entered_at"].removesuffix("Z").ljust(26, "0")
        wrong += entered_at < before
        wrong += bool(row["reverses"]) and row["reverses"] not in ids
        wrong += int(row["id"]) < newest.get(row["post"]["id"], 0)
        before, newest[row["post"]["id"]] = entered_at, int(row["id"])
        ids.add(row["id"])
    return wrong
