"""Write the ensemble's training set: a simulated world, replayed through the code that serves."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import BaseCommand
from django.db import transaction

from moderation.management.replay import Frozen, Pace, Replay
from moderation.models import Revision

# Fixed, so that the same seed gives the same file on every day.
_START = datetime(2026, 3, 1, tzinfo=UTC)
_SECONDS_PER_POST = 240
_BACKLOG_SHARE = 0.4


class Command(BaseCommand):
    """Replay, freeze, write, roll back."""

    help = (
        "Write simulated records with their truth as JSON lines, for `python -m scoring.training ensemble`. "
        "The simulated posts pass through the database in one transaction that is rolled back. "
        "Run it while nothing else writes posts: they would wait for its end."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare how many posts, which seed and where to write."""
        parser.add_argument("--posts", type=int, default=12_000, help="simulated posts, one record each")
        parser.add_argument("--seed", type=int, default=7, help="the same seed writes the same file")
        parser.add_argument("--out", type=Path, required=True, help="the .jsonl file to write")

    def handle(self, *_: Any, posts: int, seed: int, out: Path, **__: Any) -> None:
        """Write the file and say what it holds."""
        written = spam = 0
        out.parent.mkdir(parents=True, exist_ok=True)
        with transaction.atomic():
            frozen = list(_progress(_records(posts=posts, seed=seed), total=posts))
            groups = _groups(frozen)
            with out.open("w", encoding="utf-8") as file:
                for one in frozen:
                    _write(file, one, group=groups[one.revision_id])
                    written += 1
                    spam += one.truth.is_spam
            transaction.set_rollback(True)
        self.stdout.write(f"{written} simulated records ({spam} spam) in {out}; the database is as it was.")


def _records(*, posts: int, seed: int) -> Iterator[Frozen]:
    """Yield the records of a platform that hands over a backlog, then of one that sends posts as they appear.

    The backlog comes first: a new installation has seen no address, no domain and no text before.
    """
    backlog = int(posts * _BACKLOG_SHARE)
    window = timedelta(seconds=_SECONDS_PER_POST * backlog)
    hands_over = Pace(
        start=_START - window, seconds_per_post=_SECONDS_PER_POST, speed=4000, batch=25, soon_seconds=0.2
    )
    as_it_happens = Pace(
        start=_START + timedelta(days=1),
        seconds_per_post=_SECONDS_PER_POST,
        speed=1,
        batch=1,
        soon_seconds=1,
    )
    if backlog:
        yield from Replay(seed=seed + 1, run="simulated-backlog", posts=backlog, pace=hands_over).records()
    yield from Replay(seed=seed, run="simulated", posts=posts - backlog, pace=as_it_happens).records()


def _groups(frozen: list[Frozen]) -> dict[int, str]:
    """Return the similarity group of each revision: near-duplicates stay on one side of a split."""
    ids = [one.revision_id for one in frozen]
    rows = Revision.objects.filter(pk__in=ids).order_by("pk").values_list("pk", "similarity_group")
    return {pk: str(group) for pk, group in rows}


def _write(file: TextIO, one: Frozen, *, group: str) -> None:
    line = {
        "record": one.record.to_json(),
        "is_spam": one.truth.is_spam,
        "kind": one.truth.kind,
        "group": group,
    }
    file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _progress(frozen: Iterator[Frozen], *, total: int) -> Iterator[Frozen]:
    """Pass records on and keep one line up to date, on a terminal only."""
    for done, one in enumerate(frozen, start=1):
        if sys.stderr.isatty() and done % 50 == 0:
            sys.stderr.write(f"\r{done} of {total} simulated records")
            sys.stderr.flush()
        yield one
