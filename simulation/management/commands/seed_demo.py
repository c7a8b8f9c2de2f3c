"""manage.py seed_demo: accounts, platform and API key of the demonstration. Safe to repeat."""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from moderation.operations.accounts import demo


class Command(BaseCommand):
    help = "Make the demo accounts (password demo), the platform demo-social and its key. Not for production."

    def handle(self, *args: Any, **options: Any) -> None:
        at = timezone.now()
        place = Path(settings.STATE_DIR) / "secrets" / "demo-api-key"
        try:
            platform = demo.demo(at=at)
            kept = place.read_text().strip() if place.is_file() else ""
            secret = demo.demo_key(platform=platform, kept=kept, at=at)
        except demo.RefusedInProduction as refused:
            raise CommandError(str(refused)) from None
        if secret is not None:
            _keep(place, secret)
        names = ", ".join(name for name, *_ in demo.ACCOUNTS)
        self.stdout.write(f"Accounts: {names} (password {demo.PASSWORD})")
        self.stdout.write(f"API key of {platform.slug}: {'written to' if secret else 'kept in'} {place}")


def _keep(place: Path, secret: str) -> None:
    """Write beside and rename, so that no reader sees half a key; nobody else may read it at any moment."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = place.with_suffix(".new")
    beside.unlink(missing_ok=True)
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f"{secret}\n")
    beside.replace(place)
