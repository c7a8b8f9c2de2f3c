"""Encrypt kept secrets with the newest key, so that the one before it can go."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from moderation.operations.infrastructure import vault


class Command(BaseCommand):
    """Print a line for each kind of secret; exit code 1 if some can be read with no key."""

    help = "Encrypt the secrets in the database with the first of SPAMDESK_ENCRYPTION_KEYS."

    def handle(self, *_: Any, **__: Any) -> None:
        counts = vault.renew()
        for name, count in counts.items():
            self.stdout.write(f"{name}: {count['renewed']} renewed, {count['unreadable']} unreadable")
        if any(count["unreadable"] for count in counts.values()):
            raise CommandError("Some need a key that is not in SPAMDESK_ENCRYPTION_KEYS: name it there, too.")
