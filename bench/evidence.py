"""How long until evidence is there while posts with links come in, and what does it cost their first score?

make bench ARGS="evidence --rate 30 --seconds 60"      (while `make run` is up)

Each post has one link; half of them lead to one of forty addresses, half to one never posted before. They are
sent in turns with collecting off and on, to a simulated web.
"""

from __future__ import annotations

import argparse
import os
import queue
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from bench import _product, latency
from moderation.simulation import material
from moderation.simulation.events import PostEvent
from moderation.simulation.web import planning, register
from moderation.simulation.web.shares import MODES, Mode
from moderation.simulation.world import World

_KNOWN, _DOMAINS = 40, 400
_PATIENCE_SECONDS = 120.0


def main() -> None:
    """Send, wait for evidence, print both tables."""
    options = _options()
    _product.connect()
    from moderation.models.platforms import Collecting  # noqa: PLC0415 - Django is not set up before

    waits: dict[str, list[float]] = {Collecting.OFF: [], Collecting.ON: []}
    medians: list[tuple[float, float]] = []
    collected: list[float] = []
    halves: list[str] = [Collecting.OFF, Collecting.ON]
    for _ in range(options.turns):
        of_turn = {}
        for collects in halves:
            with _collecting(collects):
                of_turn[collects] = _scored(options, collects=collects, collected=collected)
            waits[collects] += of_turn[collects]
        halves.reverse()
        medians.append((float(np.median(of_turn[Collecting.OFF])), float(np.median(of_turn[Collecting.ON]))))
    for collects, values in waits.items():
        print(_row(f"POST to stored score, collecting {collects}", values))
    print(_row("POST to evidence", collected))
    ratios = [on / off for off, on in medians]
    print(
        f"median with evidence / without, by turns: {', '.join(f'{ratio:.2f}' for ratio in ratios)};"
        f" {np.median(ratios):.2f}"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rate", type=float, default=30.0, help="posts per second")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each half turn")
    parser.add_argument("--turns", type=int, default=4)
    return parser.parse_args()


@contextmanager
def _collecting(collects: str) -> Iterator[None]:
    """Have the demo's platform collect evidence of all posts or of none, and set it back."""
    from moderation.models import Platform  # noqa: PLC0415 - Django is not set up before
    from moderation.operations.accounts import demo  # noqa: PLC0415 - as above

    platform = Platform.objects.order_by("pk").get(slug=demo.PLATFORM_SLUG)
    before = platform.collects_evidence
    Platform.objects.filter(pk=platform.pk).update(collects_evidence=collects)
    try:
        yield
    finally:
        Platform.objects.filter(pk=platform.pk).update(collects_evidence=before)


def _scored(options: argparse.Namespace, *, collects: str, collected: list[float]) -> list[float]:
    """Send one half turn; return the milliseconds to each stored score, and add those to each evidence."""
    run = f"evidence-{uuid.uuid4().hex[:8]}"
    payloads = _payloads(
        run=run, posts=int(options.rate * options.seconds), seed=int(run[-6:], 16), rate=options.rate
    )
    sent: queue.Queue[tuple[str, float]] = queue.Queue()
    watcher = latency.Watcher(prefix=run, expected=len(payloads))
    watcher.start()
    latency.send_all(payloads, rate=options.rate, sent=sent)
    watcher.join()
    started = dict(sent.queue)
    assert len(watcher.seen) == len(payloads), "posts were not scored"
    if collects == "on":
        collected += _collected(run, posts=len(payloads))
    return [(seen - started[name]) * 1000 for name, seen in watcher.seen.items()]


def _payloads(*, run: str, posts: int, seed: int, rate: float) -> list[dict[str, Any]]:
    """Return simulated posts with a link each, and let the simulated web know what is behind the links."""
    start = datetime.now(UTC) - timedelta(days=1)
    world = World(seed=seed, run=run).run(start=start, seconds_per_post=1 / rate, posts=posts * 2)
    events = [event for event in world if isinstance(event, PostEvent) and "://" not in event.payload["text"]]
    kinds = list(material.kinds().values())
    payloads, sites = [], {}
    for number, event in enumerate(events[:posts]):
        name = f"known/{number % _KNOWN}" if number % 2 else f"{run}/{number}"
        url = f"https://www.page-{(number // 2) % (_KNOWN if number % 2 else _DOMAINS)}.example/{name}"
        sites[url] = planning.site(
            url,
            kind=kinds[number % len(kinds)],
            language="en",
            at=start,
            is_open=False,
            shares=MODES[Mode.ORDINARY],
            held_out=False,
            seed="evidence",
        )
        payloads.append(
            event.payload | {"external_id": f"{run}-{number}", "text": f"{event.payload['text']} {url}"}
        )
    assert len(payloads) == posts, "the simulated world had too few posts without a link"
    register.write(sites.values(), path=Path(os.environ["SPAMDESK_STATE_DIR"]) / "simulation" / register.FILE)
    return payloads


def _collected(run: str, *, posts: int) -> list[float]:
    """Wait for the evidence of a run; return the milliseconds from a post's arrival to it."""
    from django.db.models import Max  # noqa: PLC0415 - Django is not set up before

    from moderation.models import Revision  # noqa: PLC0415 - Django is not set up before
    from moderation.models.evidence import OPEN, RevisionEvidence  # noqa: PLC0415 - as above

    mine = RevisionEvidence.objects.filter(revision__post__external_id__startswith=f"{run}-", role="link")
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        waiting = mine.filter(evidence__state__in=OPEN).exists()
        if not waiting and mine.values("revision").distinct().count() == posts:
            break
        time.sleep(0.5)
    found = Revision.objects.filter(post__external_id__startswith=f"{run}-")
    rows = found.annotate(at=Max("evidence__evidence__fetched_at")).values_list("received_at", "at")
    lost = sum(at is None for _, at in rows)
    if lost:
        print(f"{lost} posts without evidence after {_PATIENCE_SECONDS:g} s")
    # A page that an earlier post of the hour led to is there at once.
    return [max(0.0, (at - received).total_seconds() * 1000) for received, at in rows if at is not None]


def _row(name: str, values: list[float]) -> str:
    p50, p95, p99 = np.percentile(values, (50, 95, 99))
    return f"{name:<40}{len(values):>7} posts  p50 {p50:>7.0f} ms  p95 {p95:>7.0f}  p99 {p99:>7.0f}"


if __name__ == "__main__":
    main()
