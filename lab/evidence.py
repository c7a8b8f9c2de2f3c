"""How long until evidence is there while posts with links come in, and what does it cost their first score?

SPAMDESK_MODE=test SPAMDESK_SIMULATED_WEB_PORT=8099 make run      (in another terminal: no other traffic)
make bench ARGS="evidence --rate 30 --seconds 60"

Each post has one link; half of them lead to one of forty addresses, half to one never posted before. They are
sent in turns with collecting off and on, to a simulated web, which this serves if nothing does. Beside the
demo of a plain `make run` the demo's own posts are in the way.
"""

from __future__ import annotations

import argparse
import os
import queue
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from lab import _posts, _product, latency
from simulation.texts import Families, curated, links
from simulation.web import planning, register
from simulation.web.shares import MODES, Mode

_KNOWN, _DOMAINS = 40, 400
_PATIENCE_SECONDS, _POLL_SECONDS = 120.0, 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--rate", type=float, default=30.0, help="posts per second")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each half turn")
    parser.add_argument("--turns", type=int, default=4)


def main(options: argparse.Namespace) -> None:
    """Send, wait for evidence, print both tables."""
    _product.connect()
    from moderation.models.platforms import Collecting

    waits: dict[str, list[float]] = {Collecting.OFF: [], Collecting.ON: []}
    ratios: list[float] = []
    collected: list[float] = []
    halves: list[str] = [Collecting.OFF, Collecting.ON]
    with _web():
        for _ in range(options.turns):
            of_turn = {}
            for collects in halves:
                with _collecting(collects):
                    of_turn[collects] = _scored(options, collects=collects, collected=collected)
                waits[collects] += of_turn[collects]
            halves.reverse()
            ratios.append(float(np.median(of_turn[Collecting.ON]) / np.median(of_turn[Collecting.OFF])))
    for collects, values in waits.items():
        print(_row(f"POST to stored score, collecting {collects}", values))
    print(_row("POST to evidence", collected))
    print(
        f"median with evidence / without, by turns: {', '.join(f'{ratio:.2f}' for ratio in ratios)};"
        f" {np.median(ratios):.2f}"
    )


@contextmanager
def _web() -> Iterator[None]:
    """Serve the simulated web where evidence workers look for it, unless somebody does."""
    port = int(os.environ.get("SPAMDESK_SIMULATED_WEB_PORT", "0"))
    if not port:
        sys.exit("There is no simulated web: start the product with SPAMDESK_SIMULATED_WEB_PORT=8099.")
    with socket.socket() as probe:
        is_served = probe.connect_ex(("127.0.0.1", port)) == 0
    if is_served:
        yield
        return
    server = [sys.executable, "-m", "simulation.web.server"]
    process = subprocess.Popen([*server, f"--port={port}", f"--file={_sites()}"])
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _sites() -> Path:
    return Path(os.environ["SPAMDESK_STATE_DIR"]) / "simulation" / register.FILE


@contextmanager
def _collecting(collects: str) -> Iterator[None]:
    """Have the demo's platform collect evidence of all posts or of none, and set it back."""
    from moderation.models import Platform
    from moderation.operations.accounts import demo

    platform = Platform.objects.order_by("pk").get(slug=demo.PLATFORM_SLUG)
    before = platform.collects_evidence
    Platform.objects.filter(pk=platform.pk).update(collects_evidence=collects)
    try:
        yield
    finally:
        Platform.objects.filter(pk=platform.pk).update(collects_evidence=before)


def _scored(options: argparse.Namespace, *, collects: str, collected: list[float]) -> list[float]:
    """Send one half turn; return the milliseconds to each first score, and add those to each evidence."""
    run = f"evidence-{uuid.uuid4().hex[:8]}"
    payloads = _payloads(
        run=run, posts=int(options.rate * options.seconds), seed=int(run[-6:], 16), rate=options.rate
    )
    starts: queue.Queue[tuple[str, float]] = queue.Queue()
    watcher = latency.Watcher(prefix=run, expected=len(payloads))
    watcher.start()
    ends = _Ends(run, posts=len(payloads) if collects == "on" else 0)
    ends.start()
    latency.send_all(payloads, rate=options.rate, sent=starts)
    ends.is_sent.set()
    watcher.join()
    start_times = dict(starts.queue)
    assert len(watcher.seen) == len(payloads), "posts were not scored"
    ends.join()
    collected += [(seen_at - start_times[name]) * 1000 for name, seen_at in ends.seen.items()]
    if collects == "on" and len(ends.seen) < len(payloads):
        print(f"{len(payloads) - len(ends.seen)} posts without evidence")
    _settle()
    return [(seen_at - start_times[name]) * 1000 for name, seen_at in watcher.seen.items()]


def _payloads(*, run: str, posts: int, seed: int, rate: float) -> list[dict[str, Any]]:
    """Return simulated posts with a link each, and let the simulated web know what is behind the links."""
    simulated = _posts.payloads(
        run=run, seed=seed, count=posts * 2, seconds_per_post=1 / rate, texts=Families.KEPT_OUT
    )
    without_link = [post for post in simulated if not links(post["text"])]
    kinds = [text.kind for text in curated(Families.KEPT_OUT)]
    payloads, sites = [], {}
    for number, post in enumerate(without_link[:posts]):
        name = f"known/{number % _KNOWN}" if number % 2 else f"{run}/{number}"
        url = f"https://www.page-{(number // 2) % (_KNOWN if number % 2 else _DOMAINS)}.example/{name}"
        sites[url] = planning.site(
            url,
            kind=kinds[number % len(kinds)],
            language="en",
            at=datetime.now(UTC) - timedelta(days=1),
            is_open=False,
            shares=MODES[Mode.ORDINARY],
            held_out=False,
            seed="evidence",
        )
        payloads.append(post | {"external_id": f"{run}-{number}", "text": f"{post['text']} {url}"})
    assert len(payloads) == posts, "the simulated world had too few posts without a link"
    register.write(sites.values(), path=_sites())
    return payloads


class _Ends(threading.Thread):
    """Notes when the evidence of each post of a run was there: a row says only when its fetch began."""

    def __init__(self, run: str, *, posts: int) -> None:
        super().__init__(daemon=True)
        self.seen: dict[str, float] = {}
        self.is_sent = threading.Event()
        self._run, self._posts = run, posts

    def run(self) -> None:
        """Poll until all are there, or nothing new came for a while after the last post was sent."""
        statement = (
            "SELECT p.external_id FROM moderation_post p JOIN moderation_revision r ON r.post_id = p.id"
            " JOIN moderation_revisionevidence c ON c.revision_id = r.id AND c.role = 'link'"
            " JOIN moderation_evidence e ON e.id = c.evidence_id"
            " WHERE p.external_id = ANY(%s) AND e.state NOT IN ('waiting', 'fetching')"
        )
        rest = {f"{self._run}-{number}" for number in range(self._posts)}
        news_at = time.monotonic()
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
            while rest and not (self.is_sent.is_set() and time.monotonic() - news_at > _PATIENCE_SECONDS):
                names = {name for (name,) in connection.execute(statement, [sorted(rest)]).fetchall()}
                now = time.monotonic()
                self.seen |= dict.fromkeys(names, now)
                rest -= names
                news_at = now if names else news_at
                time.sleep(_POLL_SECONDS)


def _settle() -> None:
    """Wait for second scores and fetches of what pages lead to, so that no half pays for another."""
    from moderation import enqueue
    from moderation.models import Evidence, Revision
    from moderation.models.evidence import OPEN

    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        revisions = Revision.objects.filter(score_state__in=("pending", "scoring"))
        unread = Evidence.objects.filter(state__in=OPEN)
        if not revisions.exists() and not unread.exists() and not enqueue.messages().get("evidence"):
            return
        time.sleep(0.5)


def _row(name: str, values: list[float]) -> str:
    p50, p95, p99 = np.percentile(values, (50, 95, 99))
    return f"{name:<40}{len(values):>7} posts  p50 {p50:>7.0f} ms  p95 {p95:>7.0f}  p99 {p99:>7.0f}"
