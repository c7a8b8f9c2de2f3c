"""Fetch IANA's list of RDAP servers anew."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from moderation.operations.reputation import provider, registration


class Command(BaseCommand):
    """Keep a newer list than the one that came with this release; workers read it with the next question."""

    help = "Fetch IANA's list of RDAP servers, and keep it if it is newer than the one in force."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--from", dest="url", default=registration.SOURCE, help="address of the list")

    def handle(self, *_: Any, url: str, **__: Any) -> None:
        try:
            listing = registration.refresh(url=url)
        except (provider.NoAnswer, registration.Invalid) as failure:
            raise CommandError(f"{failure} The list in force stays as it is.") from failure
        except OSError as failure:
            raise CommandError(f"{settings.RDAP_LIST} cannot be written: {failure.strerror}.") from failure
        self.stdout.write(
            f"In force: the list of {listing.published_at:%Y-%m-%d}, {len(listing.servers)} suffixes."
        )
