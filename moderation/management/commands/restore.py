"""manage.py restore FOLDER: a backup into an empty database, with what was erased since erased again."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from moderation.operations.audit import chain
from moderation.operations.erasure import backup, journal, restore

_REFUSED = (backup.Failed, chain.Broken, journal.Unreadable, OSError)


class Command(BaseCommand):
    help = "Restore a backup into an empty database, verify it, and erase again what was erased since."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder that `backup` wrote")
        which = parser.add_mutually_exclusive_group()
        which.add_argument(
            "--journal",
            type=Path,
            help="the journal of erasures, newer than the backup; default: SPAMDESK_ERASURE_JOURNAL",
        )
        which.add_argument(
            "--without-journal", action="store_true", help="it is lost: what was erased since comes back"
        )

    def handle(self, *_: Any, folder: Path, journal: Path | None, without_journal: bool, **__: Any) -> None:
        erasures = None if without_journal else journal or settings.ERASURE_JOURNAL
        if erasures is not None and not erasures.exists():
            raise CommandError(
                f"There is no journal of erasures at {erasures}. Without it, what was erased after the backup"
                " would come back: find it, or say --without-journal."
            )
        try:
            restored = restore.run(folder.absolute(), erasures=erasures, at=timezone.now())
        except _REFUSED as failure:
            raise CommandError(f"Not restored. {failure}") from failure
        self.stdout.write(f"The audit log holds: head {restored.head}")
        if restored.applied is not None:
            done = restored.applied
            self.stdout.write(
                f"Erased again: {done.erased}; known: {done.known}; not in this database: {done.absent}"
            )
        self.stdout.write(f"Erased by age: {restored.expired} posts")
        self.stdout.write("Everybody has to sign in anew. Revoke again the keys revoked meanwhile.")
