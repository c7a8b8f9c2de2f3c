"""manage.py promote: let a release go live, if the report that compares it with the live one allows it."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from moderation.operations.releases import promote
from scoring import gate


class Command(BaseCommand):
    help = (
        "Let a release go live: gate, load beside the live one, probe, flip. Workers follow within seconds."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="the release's folder, with its manifest.json")
        parser.add_argument(
            "--report", type=Path, required=True, help="report.json of python -m training evaluate"
        )
        parser.add_argument(
            "--repository",
            type=Path,
            default=settings.TRITON_REPOSITORY,
            help="the model repository that holds its content model",
        )

    def handle(self, *_: Any, folder: Path, report: Path, repository: Path, **__: Any) -> None:
        try:
            promotion = promote.promote(
                folder=folder.resolve(),
                report=gate.read(report),
                repository=repository.resolve(),
                actor=None,
                at=timezone.now(),
            )
        except promote.NotGoodEnough as refusal:
            lines = "\n".join(f"  {finding.question}: {finding.answer}" for finding in refusal.findings)
            verdict = gate.verdict(gate.stored(refusal.findings))
            raise CommandError(f"The live release stays, {verdict}:\n{lines}") from refusal
        except promote.REFUSED as refusal:
            raise CommandError(f"The live release stays. {type(refusal).__name__}: {refusal}") from refusal
        self.stdout.write(
            f"{promotion.release_id[:12]} is live, {promotion.replaced_id[:12]} stands by"
            f" (manage.py rollback); {len(promotion.findings)} questions passed."
        )
