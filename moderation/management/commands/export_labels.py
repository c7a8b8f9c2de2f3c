"""Write the labels to a file with its manifest."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from moderation.management import options
from moderation.models.exports import ExportFormat
from moderation.operations.labels import export_write
from moderation.queries.decisions.feeds import Position
from moderation.queries.labels import label_changes, labels
from moderation.queries.labels.labels import LabelFilter


class Command(BaseCommand):
    """Stream labels, oldest first; memory stays flat however many there are."""

    help = "Write confirmed labels with text, features, record and provenance to a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", type=Path, required=True, help="the file to write")
        parser.add_argument(
            "--format",
            dest="form",
            choices=ExportFormat.values,
            default=ExportFormat.JSONL.value,
            help="training reads jsonl, the default",
        )
        parser.add_argument("--since", help="labels given at or after this time (ISO 8601 with offset)")
        parser.add_argument(
            "--after",
            type=Path,
            metavar="MANIFEST",
            help="only what changed since the export with this manifest, retracted labels included",
        )
        parser.add_argument("--platform", help="the slug of the only platform whose labels are written")
        parser.add_argument("--until", help="labels given before this time (default: now)")

    def handle(
        self,
        *_: Any,
        out: Path,
        form: str,
        since: str | None,
        until: str | None,
        after: Path | None = None,
        platform: str | None = None,
        **__: Any,
    ) -> None:
        at = timezone.now()
        if after is not None and (since or until):
            raise CommandError("--after goes on from an export: leave --since and --until.")
        selection = LabelFilter(
            since=options.time(since, "--since"),
            until=options.time(until, "--until") or at,
            platform_id=options.platform(platform),
            after=None if after is None else _positions(after),
        )
        expected = labels.count(wanted=selection) if after is None else label_changes.count(wanted=selection)
        try:
            manifest = export_write.write(
                out=out,
                wanted=selection,
                at=at,
                form=form,
                progress=lambda done: _show(done, expected),
            )
        except OSError as failure:
            raise CommandError(f"{out}: {failure.strerror}. Give a path that can be written.") from failure
        counts = manifest["counts"]
        retracted = "" if after is None else f", {counts['retracted']} retracted"
        sorts = f"{counts['spam']} spam, {counts['not_spam']} not spam"
        self.stdout.write(
            f"{counts['labels']} labels ({sorts}){retracted} in {out}\n"
            f"manifest: {out}.manifest.json, sha256 {manifest['sha256']}"
        )
        for weakness in manifest["weaknesses"] if after is None else ():
            self.stdout.write(f"weak: {weakness}")


def _positions(manifest: Path) -> dict[str, Position]:
    try:
        return export_write.from_json(json.loads(manifest.read_text())["positions"])
    except OSError as failure:
        raise CommandError(f"--after: {manifest}: {failure.strerror}.") from failure
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise CommandError(
            f"--after: {manifest} is no manifest that says how far an export goes; begin with a whole export."
        ) from failure


def _show(done: int, expected: int) -> None:
    """Keep one line up to date, on a terminal only."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {expected} labels")
        sys.stderr.flush()
