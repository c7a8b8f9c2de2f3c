"""manage.py reapply_erasures: erase again what the journal names, after PostgreSQL's own recovery."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from moderation.operations.erasure import journal


class Command(BaseCommand):
    """Apply the journal; safe to repeat."""

    help = "Erase again what the journal of erasures names. Run it before anybody is served."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--journal", type=Path, help="default: SPAMDESK_ERASURE_JOURNAL")

    def handle(self, *_: Any, **options: Any) -> None:
        path: Path = options["journal"] or settings.ERASURE_JOURNAL
        try:
            done = journal.apply(path, at=timezone.now())
        except (OSError, journal.Unreadable) as failure:
            raise CommandError(str(failure)) from failure
        self.stdout.write(
            f"Erased again: {done.erased}; known: {done.known}; not in this database: {done.absent}"
        )
