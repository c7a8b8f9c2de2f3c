"""How long does the next release take after 2,000 decisions? By the clock, and in processor time by step.

make bench ARGS="next_release"
make bench ARGS="next_release --records records.jsonl --texts FILES"      (the ensemble, too)

Starts a product of its own. A new platform sends labelled texts through the API, its moderator decides every
one of them, then `manage.py next_release` is run as the guide says. Processor time is that of the command
and of Triton, which it asks: what else the machine does counts for neither. Two cores share it at best.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import django

from deploy.local.places import ROOT
from lab import _stack
from training import dataset

_STATE = ROOT / ".state" / "bench" / "next_release"
_PROMISE_MINUTES = 15.0
_CORES = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--source", type=Path, default=Path("../shared/data/sms_uci.jsonl"))
    parser.add_argument("--decisions", type=int, default=2_000)
    parser.add_argument("--records", type=Path, nargs="+", default=[], help="simulated records")
    parser.add_argument("--texts", type=Path, nargs="+", default=[], help="real labelled texts")


def main(options: argparse.Namespace) -> None:
    """Decide, run the command, print what it took; exit code 1 if two cores could not keep the promise."""
    texts = [example for example in dataset.load([options.source]) if example.text.strip()]
    random.Random(0).shuffle(texts)
    texts = texts[: options.decisions]
    shutil.rmtree(_STATE, ignore_errors=True)
    with _stack.running(
        name=_STATE.name,
        has_triton=True,
        has_web=True,
        scoring_processes=1,
        has_sweeps=True,
        undo_seconds=1,
    ):
        django.setup()
        from lab._platform import NewPlatform

        with NewPlatform(texts) as platform:
            platform.decide(len(texts))
            print(f"{platform.decided} decisions on texts of {options.source.name}", flush=True)
        start, command, triton = time.monotonic(), _children_seconds(), _stack.processor_seconds()["triton"]
        subprocess.run(_command(options), cwd=ROOT, check=True)
        clock = time.monotonic() - start
        command, triton = _children_seconds() - command, _stack.processor_seconds()["triton"] - triton
    print(
        f"whole command: {clock / 60:.1f} min by the clock; processor time {command / 60:.1f} min, "
        f"and {triton / 60:.1f} min of Triton"
    )
    sys.exit(0 if (command + triton) / _CORES <= _PROMISE_MINUTES * 60 else 1)


def _command(options: argparse.Namespace) -> list[str]:
    words = [sys.executable, "manage.py", "next_release", "--out", str(_STATE / "next-release")]
    for name in ("records", "texts"):
        paths = [str(path.resolve()) for path in getattr(options, name)]
        words += [f"--{name}", *paths] if paths else []
    return words


def _children_seconds() -> float:
    """Return the processor time of children that have ended, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
