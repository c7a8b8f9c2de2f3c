"""manage.py suspicious_labels: have labels that the models contradict judged again blindly."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from moderation.operations.cases import suspicious_labels


class Command(BaseCommand):
    """Draw the most suspicious labels for a blind review; a second run draws no label twice."""

    help = "Have the labels that next_release found suspicious judged again by somebody who does not know."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, help="suspicious.jsonl in the folder of next_release, the worst first"
        )
        parser.add_argument(
            "--most", type=int, default=suspicious_labels.MOST, help="labels of each platform at most"
        )

    def handle(self, *_: Any, file: Path, most: int, **__: Any) -> None:
        if most < 1:
            raise CommandError("--most: give a number from 1")
        try:
            suspicions = suspicious_labels.read(file)
        except (OSError, suspicious_labels.Unreadable) as wrong:
            raise CommandError(str(wrong)) from wrong
        drawn = suspicious_labels.ask(suspicions=suspicions, most=most, at=timezone.now())
        self.stdout.write(f"{drawn} of {len(suspicions)} suspicious labels wait for a blind review")
