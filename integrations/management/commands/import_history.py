"""manage.py import_history: what the filter would have done with past posts, and their labels."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from integrations import history, history_job, past_file
from integrations.models import HistoryImport
from integrations.past_file import Columns
from moderation.management import options
from moderation.models import Platform
from moderation.operations.refusals import Refusal


class Command(BaseCommand):
    """Import, judge, print the report; all of it also stands on the page Past actions."""

    help = "Compare the filter with what moderators did: posts with actions, as CSV or JSON lines."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--map",
            nargs="+",
            default=[],
            metavar="FIELD=COLUMN",
            help=f"for columns that are not found by their names: {', '.join(past_file.FIELDS)}",
        )
        parser.add_argument(
            "--action",
            nargs="+",
            default=[],
            metavar="VALUE=MEANING",
            help=f"what a value of the action means, where it is not clear: {', '.join(past_file.MEANINGS)}",
        )
        parser.add_argument("--whole", action="store_true", help="the file has every post of its time")
        parser.add_argument("--platform", help="slug of a platform that is connected already")
        parser.add_argument("--seconds", type=int, default=30, help="that a post takes the moderators")
        parser.add_argument("--labels", type=Path, help="write the labels there, as training reads them")

    def handle(self, *_: Any, file: Path, labels: Path | None, **given: Any) -> None:
        at, platform_id = timezone.now(), options.platform(given["platform"])
        try:
            with file.open("rb") as opened, transaction.atomic():  # a refused option leaves no import
                row = history.take(name=file.name, file=opened, actor=None, at=at)
                names = row.mapping["names"] | _pairs(given["map"])
                if unknown := set(names.values()) - set(row.columns):
                    raise CommandError(
                        f"--map: no column {min(unknown)!r}; there are: {', '.join(row.columns)}."
                    )
                found = history.actions_of(row, names["action"]) if names.get("action") else []
                actions = {action: past_file.meaning(action) for action in found}
                for pair in given["action"]:
                    value, _sign, meant = pair.rpartition("=")
                    if value not in actions or meant not in past_file.MEANINGS:
                        raise CommandError(f"--action {pair}: values are {', '.join(map(repr, actions))}.")
                    actions[value] = meant
                columns = Columns(
                    names=names, actions=actions, is_whole=given["whole"], seconds=given["seconds"]
                )
                history.begin(
                    history_id=row.pk,
                    columns=columns,
                    platform=Platform.objects.get(pk=platform_id) if platform_id else None,
                    actor=None,
                    at=at,
                )
        except (OSError, Refusal) as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"columns {names}, actions {actions}")
        history_job.carry_out(history_id=row.pk, at=at, labels=labels)
        done = HistoryImport.objects.get(pk=row.pk)
        if done.report is None:
            raise CommandError(done.error or "Not finished: is the product running?")
        self.stdout.write(json.dumps(done.report, indent=1, ensure_ascii=False))
        self.stdout.write(f"{len(done.left_out)} lines left out; the report: /history/{row.pk}/")


def _pairs(words: list[str]) -> dict[str, str]:
    pairs = dict(word.partition("=")[::2] for word in words)
    if unknown := [name for name in pairs if name not in past_file.FIELDS]:
        raise CommandError(f"--map: no field {unknown[0]!r}; there are: {', '.join(past_file.FIELDS)}.")
    return pairs
