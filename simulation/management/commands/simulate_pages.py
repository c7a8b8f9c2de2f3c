"""Write the training texts for pages, pictures and captions: simulated, with their truth."""

import dataclasses
import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from simulation.web import learning

_PAGES_EACH = 20
"""Of each family."""


class Command(BaseCommand):
    """Write the texts; uses no database."""

    help = (
        "Write texts of simulated pages, posters and captions with their truth as JSON lines, for "
        "`python -m training evidence --pages`. They are worded by the families that simulated posts "
        "lead to and by more that none leads to, never by those that are held out."
    )
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare which seed and where to write."""
        parser.add_argument("--seed", type=int, default=7, help="the same seed writes the same file")
        parser.add_argument("--out", type=Path, required=True, help="the .jsonl file to write")

    def handle(self, *_: Any, seed: int, out: Path, **__: Any) -> None:
        """Write the file and say what it holds."""
        out.parent.mkdir(parents=True, exist_ok=True)
        count, names = 0, set()
        with out.open("w", encoding="utf-8") as file:
            for text in learning.texts(pages_each=_PAGES_EACH, seed=seed):
                file.write(json.dumps(dataclasses.asdict(text), ensure_ascii=False) + "\n")
                count += 1
                names.add(text.family)
        self.stdout.write(f"{count} simulated texts of {len(names)} families in {out}.")
