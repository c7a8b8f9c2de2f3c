"""manage.py next_release: export decisions, learn from them, judge the candidate beside the live release."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import InterfaceError, OperationalError

from moderation import scorer

_ROOT = Path(__file__).resolve().parents[3]


class Command(BaseCommand):
    help = "Export decisions, fit heads (and the ensemble, with --records), evaluate: a candidate to promote."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--out", type=Path, default=Path("next-release"), help="folder that keeps every step"
        )
        parser.add_argument("--platform", help="the slug of the only platform whose decisions count")
        parser.add_argument(
            "--records", type=Path, nargs="+", default=[], help="simulated records: the ensemble is refitted"
        )
        parser.add_argument(
            "--texts",
            type=Path,
            nargs="+",
            default=[],
            help="real texts that a refitted ensemble is calibrated on",
        )
        parser.add_argument(
            "--data", type=Path, nargs="+", default=[], help="more labelled posts that judge the candidate"
        )
        parser.add_argument(
            "--replay",
            type=Path,
            nargs="+",
            default=[],
            help="texts that the content model was trained on: beside them it learns the decisions",
        )
        parser.add_argument(
            "--bf16", action="store_true", help="train it in BF16, where the processor has it"
        )
        parser.add_argument(
            "--repository",
            type=Path,
            default=settings.TRITON_REPOSITORY,
            help="the model repository that holds the live release's content model",
        )
        parser.add_argument(
            "--ends-with-input",
            action="store_true",
            help="end, with all that was started, when standard input ends",
        )
        parser.add_argument(
            "--judge-posts", type=int, default=4_000, help="simulated posts that judge the candidate, too"
        )

    def handle(self, *_: Any, out: Path, platform: str | None, judge_posts: int, **given: Any) -> None:
        """Run the steps; those whose inputs are the same are not repeated.

        Exits with EX_TEMPFAIL if the database or Triton is away: run again, it goes on where it was.
        """
        if given["ends_with_input"]:
            threading.Thread(target=_end_with_input, daemon=True).start()
        try:
            self._run(out, platform=platform, judge_posts=judge_posts, given=given)
        except (OperationalError, InterfaceError) as failure:
            raise CommandError(f"The database is away: {failure}", returncode=os.EX_TEMPFAIL) from failure

    def _run(self, out: Path, *, platform: str | None, judge_posts: int, given: dict[str, Any]) -> None:
        out.mkdir(parents=True, exist_ok=True)
        labels = out / "labels.jsonl"
        self.stdout.write("labels …")
        call_command("export_labels", out=labels, platform=platform, stdout=self.stdout)
        if not labels.stat().st_size:
            raise CommandError("No decision is final yet: there is nothing to learn from.")
        judged_by = [*given["data"], *self._simulated(out, posts=judge_posts)]
        words: dict[str, list[Path]] = {
            "--labels": [labels],
            "--live": [scorer.release().folder],
            "--out": [out],
            "--models": [settings.TRITON_MODELS_DIR],
            "--repository": [given["repository"].resolve()],
            "--records": given["records"],
            "--texts": given["texts"],
            "--data": judged_by,
            "--replay": given["replay"],
        }
        arguments = [word for name, paths in words.items() if paths for word in (name, *map(str, paths))]
        command = [sys.executable, "-m", "training", "next-release", "--triton", settings.TRITON_URL]
        command += ["--bf16"] if given["bf16"] else []
        done = subprocess.run([*command, *arguments], cwd=_ROOT, check=False)
        if done.returncode:
            raise CommandError(
                "The candidate was not made: what stands above says why. Run it again.",
                returncode=done.returncode,
            )

    def _simulated(self, out: Path, *, posts: int) -> list[Path]:
        """Write simulated posts once: they show that nothing is lost on what no platform decided."""
        if not posts:
            return []
        path = out / f"simulated-{posts}.jsonl"
        if not path.exists():
            self.stdout.write("simulated …")
            call_command("simulate_records", posts=posts, seed=4_711, out=path, stdout=self.stdout)
        return [path]


def _end_with_input() -> None:
    """End this process group once its parent has died, which closes the pipe."""
    while os.read(sys.stdin.fileno(), 1_024):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)
