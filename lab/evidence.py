"""What does a post cost in processor time where its links and pictures are fetched and read, by part?

make bench ARGS=evidence      (starts everything of its own, with the demonstration's month and its web)

Posts come 64 at a time, alike the demonstration's, each batch when all is scored and read of the one before
and as if in another hour: first with collecting off, then on. The simulated web is left out.
"""

import argparse
import sys
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import django

from lab import _stack

_BATCH, _PROMISE_MS = 64, 40
_PARTS = {"celery": "scoring", "reputation": "fetching", "evidence.child": "reading"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--posts", type=int, default=640, help="posts of each half")
    parser.add_argument("--spam-share", type=float, default=0.05, help="as the demonstration has")


def main(options: argparse.Namespace) -> None:
    """Measure both halves; exit code 1 where the promise is broken."""
    with _stack.running(name="evidence", has_triton=True, has_evidence=True, scoring_processes=1):
        django.setup()
        _half("warm-up", options, collects="on", posts=_BATCH)
        _half("without evidence", options, collects="off", posts=options.posts)
        cost = _half("with evidence", options, collects="on", posts=options.posts)
    sys.exit(f"over {_PROMISE_MS} ms" if cost > _PROMISE_MS else 0)


def _half(name: str, options: argparse.Namespace, *, collects: str, posts: int) -> float:
    """Take in posts, wait for all that they lead to, print and return the milliseconds of a post."""
    from django.conf import settings

    from lab import _million
    from moderation.models import Evidence, Platform, Score
    from simulation.events import PostEvent
    from simulation.replay import incoming_post
    from simulation.texts import CuratedTexts, Part
    from simulation.web import register
    from simulation.web.shares import Mode
    from simulation.world import World

    Platform.objects.update(collects_evidence=collects)
    world = World(
        seed=_stack.count_posts(),
        run=f"evidence-{uuid.uuid4().hex[:8]}",
        texts=CuratedTexts(part=Part.AFTERWARDS),
        spam_share=options.spam_share,
        leads=Mode.ORDINARY,
    )
    start = datetime.now(UTC) - timedelta(seconds=posts)
    events = world.run(start=start, seconds_per_post=1.0, posts=posts)
    sent = [event for event in events if isinstance(event, PostEvent)]
    sites = (site for event in sent for site in event.sites)
    register.write(sites, path=Path(settings.STATE_DIR) / "simulation" / register.FILE)
    rows, scores = Evidence.objects.count(), Score.objects.count()
    before = _stack.processor_seconds()
    for place in range(0, posts, _BATCH):
        _million.take_in(incoming_post(event.payload) for event in sent[place : place + _BATCH])
        _settle()
        now = datetime.now(UTC)
        Evidence.objects.filter(hour__gt=now - timedelta(hours=2)).update(hour=now - timedelta(days=40))
    spent = _stack.processor_seconds()
    parts = {
        _PARTS.get(part, part): 1000 * (spent[part] - before[part]) / posts
        for part in spent
        if part != "simulation.web"
    }
    parts["all parts"] = sum(parts.values())
    for part, cost in sorted(parts.items()):
        print(f"{name}, {part}: {cost:.2f} CPU ms a post", flush=True)
    print(f"{name}: {(Evidence.objects.count() - rows) / posts:.2f} pieces a post", flush=True)
    print(f"{name}: {(Score.objects.count() - scores) / posts:.2f} scores a post", flush=True)
    return parts["all parts"]


def _settle() -> None:
    """Wait until all is scored, also again, and all that it leads to is read."""
    from lab import _million
    from moderation.models import Evidence, EvidenceRequest
    from moderation.models.evidence import OPEN
    from moderation.operations.evidence import leases
    from moderation.operations.scoring import recovery

    while (
        _million.unscored()
        or EvidenceRequest.objects.filter(opened_at__isnull=True).exists()
        or Evidence.objects.filter(state__in=OPEN).exists()
    ):
        time.sleep(0.5)
        leases.sweep(at=datetime.now(UTC))
        recovery.sweep(at=datetime.now(UTC))
