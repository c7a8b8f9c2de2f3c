"""Write the European transparency report, as far as it can be counted here."""

import csv
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from integrations.dsa import counts, report
from integrations.dsa.report import TO_FILL
from moderation.management import options
from moderation.queries.quality import transparency


class Command(BaseCommand):
    """A file for each part of the template, and one with the figures of each month."""

    help = (
        "Write the parts of the template of Implementing Regulation (EU) 2024/2835 as CSV (RFC 4180, UTF-8), "
        f"counted as far as possible. What you have to add stands as {TO_FILL}."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--from", dest="since", required=True, help="from this time on (ISO 8601)")
        parser.add_argument("--to", dest="until", required=True, help="before this time")
        parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
        parser.add_argument("--platform", help="the slug of the only platform that counts")
        parser.add_argument("--service", default="", help="the service's name in the report")

    def handle(self, *_: Any, since: str, until: str, out: Path, service: str = "", **more: Any) -> None:
        start, end = options.period(since, until)
        platform_id = options.platform(more.get("platform"))
        accuracy = transparency.accuracy(since=start, until=end, platform_id=platform_id)
        counted = counts.counted(since=start, until=end, platform_id=platform_id)
        files = report.files(counted, accuracy, service=service, since=start, until=end)
        try:
            out.mkdir(parents=True, exist_ok=True)
            for name, rows in files.items():
                with (out / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                    csv.writer(file).writerows(rows)
        except OSError as failure:
            raise CommandError(f"{failure.filename}: {failure.strerror}") from failure
        left = sum(row.count(TO_FILL) for rows in files.values() for row in rows)
        self.stdout.write(f"{out}: {len(files)} files; {left} values are yours to fill in: {TO_FILL}.")
