"""Does it hold for long? Posts and reviewers without a pause, while servers and workers are killed.

make bench ARGS="soak --seconds 600 --rate 50 --reviewers 10 --campaign 3000"
(while `SPAMDESK_EGRESS_PRIVATE_HOSTS=localhost make run` is up; a state folder of its own is best: the posts
stay, and it is your own product that is hurt)

What is killed with signal 9, and when, is drawn by the seed, which is printed: `--rounds 500 --seconds 30`
tries as many schedules, ends with the first that breaks something and names its seed. Every post must be
stored once, scored once for each reason to score it, and decided or waiting for a human; every decision that
was acknowledged must be there, and no case may have two. Probes and Prometheus ask all the while, and must be
answered well at the end. Memory is compared between the time before the first kill and the end. Posts and
reviewers are simulated.

Beside it a second platform is at work: four pollers read its decisions by cursor, twenty webhook endpoints
are told of them, five of which answer after 15 s and five never well, campaigns are sent and decided as one,
labels are exported, authors erased. No poller may skip, double or disorder a decision, and endpoints that
answer must be told of all.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import httpx
import psycopg

from lab import _beside, _kills, _posts, _product, _stack
from lab._memory import Memory

if TYPE_CHECKING:
    from lab._feed_readers import Found

_MOST_AT_ONCE = 200
_PROBED_EVERY_SECONDS = 5.0
_PROBED = ("/readyz", "/metrics")
_TICK_SECONDS = 0.1
_KILLS = 4
_GROWTH = 0.15
"""What flat memory may grow by."""
_LONG_ENOUGH_FOR_MEMORY_SECONDS = 300
"""The processes had time to warm up before they were first looked at."""
_JUDGED_FOR_GROWTH = frozenset({"worker", "housekeeping", "webhooks", "background", "web", "all of it"})
"""Our own processes. The servers' caches fill up to their settings; that is no leak."""


class _Probes(threading.Thread):
    """Probes of health and scrapes of metrics, until stopped; errors are expected while a server is down."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.asked = 0
        self._is_over = threading.Event()
        self._client = httpx.Client(base_url=url, trust_env=False, timeout=10)

    def run(self) -> None:
        while not self._is_over.wait(_PROBED_EVERY_SECONDS):
            for path in _PROBED:
                self._status(path)

    def stop(self) -> list[str]:
        """Stop; return the endpoints that still fail although every server is back."""
        self._is_over.set()
        self.join()
        bad = [path for path in _PROBED if self._status(path) != httpx.codes.OK]
        self._client.close()
        return bad

    def _status(self, path: str) -> int:
        self.asked += 1
        try:
            return self._client.get(path).status_code
        except httpx.TransportError:
            return 0


@dataclass(frozen=True, kw_only=True)
class _Sent:
    """What was sent, and who was killed meanwhile."""

    posts: int
    refused: list[str]
    kills: list[_kills.Kill]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--rate", type=float, default=50, help="posts per second")
    parser.add_argument("--reviewers", type=int, default=10)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds a reviewer thinks")
    parser.add_argument("--campaign", type=int, default=3_000, help="posts alike of the second platform")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--rounds", type=int, default=1, help="schedules to try, each by the next seed")


def main(options: argparse.Namespace) -> None:
    """Soak by each seed; exit code 1 where a promise is broken."""
    _product.connect()
    for seed in range(options.seed, options.seed + options.rounds):
        schedule = _schedule(seed)
        print(
            f"--seed {seed}: " + ", ".join(f"{name} at {share:.0%}" for share, name in schedule), flush=True
        )
        if problems := _round(options, seed=seed, schedule=schedule):
            sys.exit(f"Broken with --seed {seed}: {', '.join(problems)}")


def _schedule(seed: int) -> list[tuple[float, str]]:
    """Draw what is killed, each once, and at which share of the time: the same for the same seed."""
    draw = random.Random(seed)
    names = draw.sample([*_kills.PARTS, _kills.POSTGRES], _KILLS)
    return sorted((draw.uniform(0.25, 0.8), name) for name in names)


def _round(options: argparse.Namespace, *, seed: int, schedule: list[tuple[float, str]]) -> list[str]:
    """Soak once, wait until all is scored, count; return what is broken."""
    from lab import _reviewers, _run_rows

    run = f"soak-{secrets.token_hex(4)}"
    beside = _beside.Beside(_second_platform(), campaign=options.campaign, times=10, pause_seconds=5)
    keys = _reviewers.hire(options.reviewers)
    is_over, memory = threading.Event(), Memory()
    reviewers = [
        _reviewers.Reviewer(secret=secret, pause_seconds=options.pause, is_over=is_over) for _, secret in keys
    ]
    probes = _Probes(_stack.web_url())
    for thread in (*reviewers, memory, probes):
        thread.start()
    count, days = int(options.seconds * options.rate), timedelta(days=2)
    posts = _posts.payloads(
        run=run, seed=seed, count=count, seconds_per_post=days.total_seconds() / count, begun=days
    )
    totals = _send(posts, options, schedule)
    memories = memory.between(0.1, 0.24), memory.between(0.9, 1.0)
    is_over.set()
    memory.stop()
    for reviewer in reviewers:
        reviewer.join()
    _reviewers.dismiss(keys)
    _product.wait_for(done=lambda: _run_rows.settled(run), expected=totals.posts, says="scored with content")
    findings = beside.stop()
    unwell = probes.stop()
    acknowledged = [decision for reviewer in reviewers for decision in reviewer.acknowledged]
    _kills.print_kills(totals.kills)
    problems = _print_counts(totals, _run_rows.count(run, acknowledged=acknowledged))
    problems += _print_beside(beside, findings)
    print(f"{'probes and scrapes meanwhile':<48}{probes.asked:>8}")
    problems += [f"{path} does not answer well at the end" for path in unwell]
    problems += _print_memory(*memories, is_judged=options.seconds >= _LONG_ENOUGH_FOR_MEMORY_SECONDS)
    beside.end()
    return problems


def _send(
    waiting: Iterator[dict[str, Any]], options: argparse.Namespace, schedule: list[tuple[float, str]]
) -> _Sent:
    """Send what is due, in bulk where a server was away, and kill when it is time."""
    total, posts = int(options.seconds * options.rate), 0
    kills: list[_kills.Kill] = []
    refusals: list[str] = []
    due = [(share * total, name) for share, name in schedule]
    start = time.monotonic()
    with _product.api() as api, ThreadPoolExecutor(max(1, len(due))) as watchers:
        while posts < total:
            if due and posts >= due[0][0]:
                kills.append(_kills.kill(due.pop(0)[1], after_posts=posts, watchers=watchers))
            number = min(total, int((time.monotonic() - start) * options.rate) + 1) - posts
            batch = [next(waiting) for _ in range(min(number, _MOST_AT_ONCE))]
            if batch:
                refusals += api.send_posts(batch)
                posts += len(batch)
            time.sleep(_TICK_SECONDS)
    return _Sent(posts=posts, refused=refusals, kills=kills)


def _print_counts(sent: _Sent, found: dict[str, int]) -> list[str]:
    """Print the counts; return the names of those that should be zero."""
    zeros = {
        "posts refused": len(sent.refused),
        "posts lost (sent, not scored with content)": sent.posts - found["settled"],
        "posts or scores doubled": found["doubled"] + max(0, found["posts"] - sent.posts),
        "posts neither decided nor waiting": found["silent"],
        "acknowledged decisions lost": found["forgotten"],
        "cases decided twice": found["twice"],
    }
    print()
    for label, number in (
        ("simulated posts sent", sent.posts),
        ("decisions acknowledged", found["acknowledged"]),
        *zeros.items(),
    ):
        print(f"{label:<48}{number:>8}")
    return [f"{number} {label}" for label, number in zeros.items() if number]


def _second_platform() -> _beside.SecondPlatform:
    return _beside.SecondPlatform.register(
        port=int(os.environ["SPAMDESK_WEB_PORT"]),
        environment=os.environ,
        database=lambda: psycopg.connect(os.environ["DATABASE_URL"]),
    )


def _print_beside(beside: _beside.Beside, read: list[Found]) -> list[str]:
    """Print what the second platform read and was told; return what is broken."""
    is_told = _product.wait_for(done=beside.told, expected=beside.messages(), says="messages sent")
    print(f"\n{'beside: posts of campaigns decided as one':<48}{sum(beside.decided):>8}")
    for poller in read:
        print(f"poller, {poller}")
    problems = [f"poller {poller.limit}" for poller in read if not poller.is_whole]
    return problems + ([] if is_told else ["messages not sent to endpoints that answer"])


def _print_memory(before: dict[str, float], after: dict[str, float], *, is_judged: bool) -> list[str]:
    """Print each part's memory; return those that grew by more than the limit, if the run was long enough."""
    both = [(part, before[part], after[part]) for part in before if before[part] and after[part]]
    whole = ("all of it", sum(row[1] for row in both), sum(row[2] for row in both))
    print(f"\n{'megabytes':<48}{'before':>8}{'at the end':>12}{'growth':>9}")
    grown = []
    for part, first, last in (*both, whole):
        growth = last / first - 1 if first else 0.0
        print(f"{part:<48}{first:>8.0f}{last:>12.0f}{growth:>9.1%}")
        if is_judged and part in _JUDGED_FOR_GROWTH and growth > _GROWTH:
            grown.append(f"{part} grew by {growth:.0%}")
    return grown
