"""Write the accuracy rows of the European transparency report."""

import csv
from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from moderation.management import options
from moderation.queries.quality import transparency
from moderation.queries.quality.transparency import AccuracyRow

_COLUMNS = (
    "Applicability",
    "Service",
    "Reporting period",
    "Section",
    "Indicator",
    "Scope",
    "Value",
    "Contextual Information",
)
"""Of the template's CSV, Annex I, part 8."""

_SECTION = "Use of automated means for content moderation"
_FOR_ALL, _FOR_VERY_LARGE = "All", "Only for VLOPs"


class Command(BaseCommand):
    """Two files: the rows of the template, and their intervals and numbers of labels."""

    help = (
        "Write how accurate the filter was in a period, as rows of part 8 of the template of Implementing "
        "Regulation (EU) 2024/2835, in CSV (RFC 4180, UTF-8)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--from", dest="since", required=True, help="posts from this time on (ISO 8601)")
        parser.add_argument("--to", dest="until", required=True, help="posts before this time")
        parser.add_argument("--out", type=Path, required=True, help="the file to write")
        parser.add_argument("--platform", help="the slug of the only platform that counts")
        parser.add_argument("--service", default="", help="the service's name in the report")

    def handle(
        self,
        *_: Any,
        since: str,
        until: str,
        out: Path,
        platform: str | None = None,
        service: str = "",
        **__: Any,
    ) -> None:
        start, end = options.time(since, "--from"), options.time(until, "--to")
        if start is None or end is None or start >= end:
            raise CommandError("--to must be later than --from.")
        rows = list(transparency.accuracy(since=start, until=end, platform_id=options.platform(platform)))
        beside = out.with_name(f"{out.stem}-intervals{out.suffix}")
        period = _period(start, end)
        try:
            _write(out, [_COLUMNS, *(_template_row(row, service=service, period=period) for row in rows)])
            _write(beside, [("Scope", "Indicator", "Value", "Low", "High", "Labels"), *map(_interval, rows)])
        except OSError as failure:
            raise CommandError(f"{failure.filename}: {failure.strerror}") from failure
        self.stdout.write(f"{out}: {len(rows)} rows; {beside}: their 95 % intervals and numbers of labels.")


def _period(start: datetime, end: datetime) -> str:
    """Return the first and the last day."""
    last = end.astimezone(UTC) - timedelta(microseconds=1)
    return f"{start.astimezone(UTC):%Y-%m-%d}/{last:%Y-%m-%d}"


def _write(path: Path, rows: list[tuple[object, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def _template_row(row: AccuracyRow, *, service: str, period: str) -> tuple[object, ...]:
    """Return a row of the template; no value where there are too few labels."""
    estimate = row.estimate
    applies = _FOR_ALL if row.scope == transparency.TOTAL else _FOR_VERY_LARGE
    context = f"95 % interval {estimate.low:.4f} to {estimate.high:.4f}, {estimate.labels} labels"
    return applies, service, period, _SECTION, row.indicator, row.scope, _value(row), context


def _value(row: AccuracyRow) -> str:
    """Return a share, 0 to 1; empty where there are too few labels."""
    return "" if row.estimate.value is None else f"{row.estimate.value:.4f}"


def _interval(row: AccuracyRow) -> tuple[object, ...]:
    estimate = row.estimate
    shares = f"{estimate.low:.4f}", f"{estimate.high:.4f}"
    return row.scope, row.indicator, _value(row), *shares, estimate.labels
