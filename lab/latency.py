"""How long from POST to stored score? Send simulated posts at a steady rate and watch the database.

.venv/bin/python -m lab latency --rate 20 --seconds 60      (while `make run` is up)
"""

import argparse
import os
import queue
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import numpy as np
import psycopg

from deploy.local import addresses
from lab import _posts, _stack
from simulation.texts import Families

_POLL_SECONDS = 0.005
_GIVE_UP_SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--rate", type=float, default=20.0, help="posts per second")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long")
    parser.add_argument("--seed", type=int, default=11)


def main(options: argparse.Namespace) -> None:
    """Run the measurement and print its table; exit code 1 if a post was not scored."""
    addresses.fill()
    run, count = f"latency-{uuid.uuid4().hex[:8]}", int(options.rate * options.seconds)
    posts = _posts.payloads(
        run=run, seed=options.seed, count=count, seconds_per_post=1 / options.rate, texts=Families.KEPT_OUT
    )
    payloads = list(posts)
    starts: queue.Queue[tuple[str, float]] = queue.Queue()
    watcher = _Watcher(prefix=run, expected=len(payloads))
    watcher.start()
    _send_all(payloads, rate=options.rate, sent=starts)
    watcher.join()
    start_times = dict(starts.queue)
    waits = np.array([seen_at - start_times[name] for name, seen_at in watcher.seen.items()]) * 1000
    _print(waits=waits, options=options, lost=len(payloads) - len(waits))
    if len(waits) < len(payloads):
        sys.exit(1)


def _send_all(payloads: list[dict[str, Any]], *, rate: float, sent: queue.Queue[tuple[str, float]]) -> None:
    """Send at fixed times, whether or not earlier answers are back: a slow server must not slow the load."""
    url = f"{_stack.web_url()}/api/v1/posts"
    with (
        httpx.Client(headers={"authorization": f"Bearer {_stack.demo_key()}"}, timeout=10.0) as client,
        ThreadPoolExecutor(32) as pool,
    ):

        def send(number: int, payload: dict[str, Any]) -> None:
            time.sleep(max(0.0, begin + number / rate - time.monotonic()))
            sent.put((str(payload["external_id"]), time.monotonic()))
            client.post(url, json=payload).raise_for_status()

        begin = time.monotonic() + 0.2
        list(pool.map(send, range(len(payloads)), payloads))


class _Watcher(threading.Thread):
    """Polls for new scores and notes when each became visible to other connections."""

    def __init__(self, *, prefix: str, expected: int) -> None:
        super().__init__(daemon=True)
        self.seen: dict[str, float] = {}
        self._prefix = prefix
        self._expected = expected

    def run(self) -> None:
        """Poll until all are scored, or nothing new came for _GIVE_UP_SECONDS."""
        last_news = time.monotonic()
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
            row = connection.execute("SELECT coalesce(max(id), 0) FROM moderation_score").fetchone()
            newest = row[0] if row else 0
            while len(self.seen) < self._expected and time.monotonic() - last_news < _GIVE_UP_SECONDS:
                rows = connection.execute(
                    "SELECT s.id, p.external_id FROM moderation_score s"
                    " JOIN moderation_revision r ON r.id = s.revision_id"
                    " JOIN moderation_post p ON p.id = r.post_id"
                    " WHERE s.id > %s - 256 ORDER BY s.id",
                    [newest],
                ).fetchall()
                now = time.monotonic()
                for score_id, external_id in rows:
                    newest = max(newest, score_id)
                    if external_id.startswith(self._prefix) and external_id not in self.seen:
                        self.seen[external_id] = now
                        last_news = now
                time.sleep(_POLL_SECONDS)


def _print(*, waits: np.ndarray, options: argparse.Namespace, lost: int) -> None:
    print(
        f"simulated posts at {options.rate:g}/s for {options.seconds:g} s;"
        f" {len(waits)} scored, {lost} not scored"
    )
    print(f"{'ms':<28}{'p50':>8}{'p95':>8}{'p99':>8}{'max':>8}")
    figures = (*np.percentile(waits, (50, 95, 99)), waits.max()) if len(waits) else (float("nan"),) * 4
    print(f"{'POST to stored score':<28}" + "".join(f"{figure:>8.0f}" for figure in figures))
