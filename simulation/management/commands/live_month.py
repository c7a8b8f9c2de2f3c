"""manage.py live_month: live the month that the demonstration begins with, and keep it as a file."""

import logging
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from moderation.models import Post
from simulation import month_file
from simulation.month import Month
from simulation.sending import truth_line
from simulation.simulated_means import Readings
from simulation.web import register


class Command(BaseCommand):
    help = (
        "Live the month that the demonstration begins with, through the operations that serve, in an empty "
        "database beside a running Triton (`make servers` with a SPAMDESK_STATE_DIR of its own), and write "
        "it to simulation/month.tar.xz. Ten minutes on two quiet cores."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the seed and where to write."""
        parser.add_argument("--seed", type=int, default=23, help="the same seed lives the same month")
        parser.add_argument("--out", type=Path, default=month_file.PLACE, help="the .tar.xz file to write")

    def handle(self, *_: Any, seed: int, out: Path, **__: Any) -> None:
        """Live, then write. Raises CommandError if somebody else's posts are there."""
        if Post.objects.exists():
            raise CommandError("This database has posts; a month needs an empty one.")
        logging.disable(logging.WARNING)  # every step is worth a line where it is served, not here
        with Readings(has_thumbnails=True) as readings:
            month = Month(seed=seed, readings=readings, report=self.stdout.write)
            month.live()
        with TemporaryDirectory() as folder:
            truth = Path(folder) / "truth.jsonl"
            truth.write_text("".join(map(truth_line, month.posts)), encoding="utf-8")
            sites = (site for post in month.posts for site in post.sites)
            register.write(sites, path=Path(folder) / register.FILE)
            month_file.write(out, simulation=Path(folder))
        self.stdout.write(f"{Post.objects.count()} posts in {out}, {out.stat().st_size:,} bytes")
