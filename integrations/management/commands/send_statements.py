"""Send the statements of reasons of a period to the DSA Transparency Database."""

import csv
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from integrations.dsa import database
from moderation.management import options
from moderation.queries.decisions import platform_decisions


class Command(BaseCommand):
    """Prints how many were created, known already and refused; the file says it of each."""

    help = (
        "Send the statements of reasons of the decisions that took effect in a period to the Commission's "
        "database. What it has already is left as it is, so that the command can run again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--from", dest="since", required=True, help="from this time on (ISO 8601)")
        parser.add_argument("--to", dest="until", required=True, help="before this time")
        parser.add_argument("--platform", required=True, help="the slug of the platform whose token it is")
        parser.add_argument("--token-file", type=Path, required=True, help="a file that holds the token")
        parser.add_argument("--territory", default="", help="where restrictions hold: DE,FR; empty: not said")
        parser.add_argument("--url", default=database.URL, help="of the sandbox, for a trial")
        parser.add_argument("--out", type=Path, required=True, help="the file for what was answered")

    def handle(self, *_: Any, since: str, until: str, platform: str, out: Path, **given: Any) -> None:
        start, end = options.period(since, until)
        if end > timezone.now():
            raise CommandError("--to is in the future: what is undone later cannot be taken back there.")
        rows = platform_decisions.restricting(since=start, until=end, platform_id=options.platform(platform))
        territory = [code for code in given["territory"].split(",") if code]
        more = {"territorial_scope": territory} if territory else {}
        answers: Counter[str] = Counter()
        try:
            token = given["token_file"].read_text(encoding="utf-8").strip()
            with out.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(("Decision", "Answer", "Detail"))
                statements = (statement | more for _, statement in rows)
                for told in database.send(statements, url=given["url"], token=token):
                    writer.writerow((told.puid, told.answer, told.detail))
                    answers[told.answer] += 1
        except OSError as failure:
            raise CommandError(f"{failure.filename}: {failure.strerror}") from failure
        except database.Unusable as failure:
            raise CommandError(f"{sum(answers.values())} answered, then: {failure}") from failure
        told_of = ", ".join(f"{answers[answer]} {answer}" for answer in ("created", "known", "refused"))
        self.stdout.write(f"{out}: {told_of}.")
