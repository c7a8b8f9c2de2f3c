"""Say which release scores, or why none can."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from moderation import scorer


class Command(BaseCommand):
    help = "Say which release scores; fails, with what to do, if none fits this code."

    def handle(self, *_: Any, **__: Any) -> None:
        try:
            release = scorer.release()
        except scorer.UNUSABLE as reason:
            raise CommandError(f"Posts are not scored: {reason}") from reason
        self.stdout.write(f"Release {release.id[:12]} scores.")
