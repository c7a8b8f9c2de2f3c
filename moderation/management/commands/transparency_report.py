"""Write the accuracy rows of the European transparency report."""

from __future__ import annotations

import csv
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from moderation.management import options
from moderation.queries.quality import transparency
from moderation.queries.quality.transparency import AccuracyRow


class Command(BaseCommand):
    """Two files: the rows, and their intervals and numbers of labels."""

    help = (
        "Write how accurate automated removals were in a period, for the transparency report of "
        "Implementing Regulation (EU) 2024/2835, as CSV (RFC 4180, UTF-8)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the period and where to write."""
        parser.add_argument("--from", dest="since", required=True, help="posts from this time on (ISO 8601)")
        parser.add_argument("--to", dest="until", required=True, help="posts before this time")
        parser.add_argument("--out", type=Path, required=True, help="the file to write")
        parser.add_argument("--platform", help="the slug of the only platform that counts")

    def handle(
        self, *_: Any, since: str, until: str, out: Path, platform: str | None = None, **__: Any
    ) -> None:
        """Write both files and say where they are."""
        start, end = options.time(since, "--from"), options.time(until, "--to")
        if start is None or end is None or start >= end:
            raise CommandError("--to must be later than --from.")
        rows = list(transparency.accuracy(since=start, until=end, platform_id=options.platform(platform)))
        beside = out.with_name(f"{out.stem}-intervals{out.suffix}")
        try:
            _write(out, [("scope", "indicator", "percent"), *map(_percent, rows)])
            _write(
                beside, [("scope", "indicator", "percent", "low", "high", "labels"), *map(_interval, rows)]
            )
        except OSError as failure:
            raise CommandError(f"{failure.filename}: {failure.strerror}") from failure
        self.stdout.write(f"{out}: {len(rows)} rows; {beside}: their 95 % intervals and numbers of labels.")


def _write(path: Path, rows: list[tuple[object, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def _percent(row: AccuracyRow) -> tuple[object, ...]:
    """Return a row; no percentage where there are too few labels."""
    value = row.estimate.value
    return row.scope, row.indicator, "" if value is None else f"{value * 100:.2f}"


def _interval(row: AccuracyRow) -> tuple[object, ...]:
    low, high = row.estimate.low, row.estimate.high
    return *_percent(row), f"{low * 100:.2f}", f"{high * 100:.2f}", row.estimate.labels
