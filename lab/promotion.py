"""Does any request fail while a release is promoted and rolled back under load?

.venv/bin/python -m lab promotion --seconds 30      (while `make run` is up)

Posts come in through the API at a steady rate and callers ask the live content model all the time.
Meanwhile a release with its own content model is promoted, rolled back, brought back and rolled back again.
It is the live one with the logit of spam moved by a hair, made here; the gate is told that it is equal.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from lab import _posts, _product, _variant

_SHIFT = 0.01
_CALLERS = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--rate", type=float, default=5.0, help="posts per second")
    parser.add_argument("--seconds", type=float, default=30.0, help="of load between two flips")


def main(options: argparse.Namespace) -> None:
    """Run it and print the table; exit code 1 if anything failed."""
    _product.connect()
    from moderation import scorer

    with tempfile.TemporaryDirectory(prefix="spamdesk-promotion-") as folder, _asking() as counts:
        flips, posts = _under_load(Path(folder), rate=options.rate, seconds=options.seconds)
    counts_by_release = _scores(posts)
    _print(flips=flips, posts=len(posts), scored=counts_by_release, asked=counts)
    scorer.forget()  # gRPC complains of a connection that is still open at the very end
    degraded = sum(count for (_, is_degraded), count in counts_by_release.items() if is_degraded)
    if counts["failed"] or degraded or sum(counts_by_release.values()) < len(posts):
        sys.exit("requests failed, or posts were scored without content or not at all")


def _under_load(folder: Path, *, rate: float, seconds: float) -> tuple[list[tuple[str, float]], list[str]]:
    """Flip the live release four times while posts come in; return the flips' seconds, and the posts."""
    from django.utils import timezone

    from moderation import scorer
    from moderation.operations.releases import promote

    live = scorer.release()
    repository = _variant.repository(folder / "repository", shift=_SHIFT)
    release = _variant.release(folder / "release", of=live, repository=repository)
    report = _variant.report(candidate=release, live=live)
    posts: list[str] = []
    flips = []
    with _posting(posts, rate=rate):
        for turn in range(4):
            time.sleep(seconds)
            start = time.monotonic()
            if turn == 0:
                promote.promote(
                    folder=release.folder, report=report, repository=repository, actor=None, at=timezone.now()
                )
            else:
                promote.roll_back(to=live.id if turn % 2 else release.id, actor=None, at=timezone.now())
            flips.append(("promote" if turn == 0 else "rollback", time.monotonic() - start))
        time.sleep(seconds)
    return flips, posts


@contextmanager
def _asking() -> Iterator[Counter[str]]:
    """Ask the content model of the live release without a pause, from several threads."""
    from moderation import scorer

    counts: Counter[str] = Counter()
    is_over = threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            try:
                scorer.content().probabilities(["does anybody answer?"])
                counts["answered"] += 1
            except Exception as failure:  # noqa: BLE001 - whatever fails is what this counts
                counts["failed"] += 1
                print(f"failed: {failure!r}", file=sys.stderr)

    with ThreadPoolExecutor(_CALLERS) as pool:
        callers = [pool.submit(ask) for _ in range(_CALLERS)]
        yield counts
        is_over.set()
        for caller in callers:
            caller.result()


@contextmanager
def _posting(sent: list[str], *, rate: float) -> Iterator[None]:
    """Send simulated posts at a steady rate; their external ids go to `sent` once they are accepted."""
    api = _product.api()
    is_over = threading.Event()
    run = f"promotion-{uuid.uuid4().hex[:8]}"
    posts = _posts.payloads(run=run, seed=5, count=100_000, seconds_per_post=1 / rate)

    def send() -> None:
        start = time.monotonic()
        for number, payload in enumerate(posts):
            if is_over.wait(max(0.0, start + number / rate - time.monotonic())):
                return
            for problem in api.send_posts([payload]):
                sys.exit(f"refused: {problem}")
            sent.append(payload["external_id"])

    with ThreadPoolExecutor(1) as pool:
        sender = pool.submit(send)
        yield
        is_over.set()
        sender.result()


def _scores(posts: list[str]) -> Counter[tuple[str, bool]]:
    """Wait until all posts have a score; count them by release and by whether content was missing."""
    from moderation.models import Score

    mine = Score.objects.filter(revision__post__external_id__in=posts)
    _product.wait_for(done=mine.count, expected=len(posts), says="posts scored", patience_seconds=60)
    rows = mine.filter(ban__isnull=True).values_list("release_id", "is_degraded")
    banned = mine.filter(ban__isnull=False).count()
    return Counter(rows) + Counter({("banned domain", False): banned})


def _print(
    *,
    flips: list[tuple[str, float]],
    posts: int,
    scored: Mapping[tuple[str, bool], int],
    asked: Mapping[str, int],
) -> None:
    for name, seconds in flips:
        print(f"{name:<10}{seconds:6.1f} s")
    print(f"{posts} simulated posts accepted, scored by:")
    for (release, is_degraded), count in sorted(scored.items()):
        print(f"  {release[:13]:<14}{count:>6}{'  WITHOUT CONTENT' if is_degraded else ''}")
    print(f"content model asked {asked['answered'] + asked['failed']} times, {asked['failed']} failed")
