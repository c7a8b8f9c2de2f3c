"""manage.py rollback: take the live release back; the one before it is live again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from moderation.operations.releases import promote


class Command(BaseCommand):
    help = "Let the release before the live one go live again. Workers follow within seconds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--to", default="", metavar="ID", help="beginning of a kept release's id")

    def handle(self, *_: Any, to: str, **__: Any) -> None:
        try:
            promotion = promote.roll_back(to=to, actor=None, at=timezone.now())
        except promote.REFUSED as refusal:
            raise CommandError(f"The live release stays. {type(refusal).__name__}: {refusal}") from refusal
        self.stdout.write(f"{promotion.release_id[:12]} is live again, {promotion.replaced_id[:12]} is not.")
