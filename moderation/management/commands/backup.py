"""manage.py backup FOLDER: the database and the kept releases, while the product runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from moderation.operations.erasure import backup


class Command(BaseCommand):
    """Write a backup; it is there whole or not at all."""

    help = "Back up the database and the kept releases into a new folder, while the product runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="a folder that does not exist yet")

    def handle(self, *_: Any, folder: Path, **__: Any) -> None:
        try:
            manifest = backup.make(folder.absolute(), at=timezone.now())
        except (backup.Failed, OSError) as failure:
            raise CommandError(f"No backup was made. {failure}") from failure
        self.stdout.write(f"{folder}: audit head {manifest['audit_head']}")
        self.stdout.write(
            "It holds what people wrote: encrypt it where it leaves this machine. Secrets are not in it."
        )
