"""How many labels are exported per second, and does memory stay flat?

make bench ARGS=label_export      (in the database that scoring_scale and claims have filled)
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import django
import psutil

from lab import _stack

_PROMISE = 20_000
_MEGABYTE = 1_000_000


def main() -> None:
    """Export all labels to a file and print; exit code 1 where the promise is broken."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stored", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=2, help="the first run finds the database's caches cold")
    parser.add_argument("--format", choices=("jsonl", "csv", "parquet"), default="jsonl")
    options = parser.parse_args()
    best = 0.0
    with _stack.running(name=f"scale-{options.stored}") as supervisor:
        django.setup()
        out = Path(supervisor.environment["SPAMDESK_STATE_DIR"]) / f"labels.{options.format}"
        for _ in range(options.times):
            best = max(best, _exported(out, form=options.format))
        out.unlink()
        Path(f"{out}.manifest.json").unlink()
    sys.exit(0 if best >= _promise(options.format) else 1)


def _exported(out: Path, *, form: str) -> float:
    from moderation.operations.labels import export_write
    from moderation.queries.labels.labels import LabelFilter

    memory = _Memory()
    memory.start()
    began = time.perf_counter()
    manifest = export_write.write(out=out, wanted=LabelFilter(), at=datetime.now(UTC), form=form)
    seconds = time.perf_counter() - began
    memory.is_over.set()
    memory.join()
    labels = manifest["counts"]["labels"]
    rate = labels / seconds
    print(
        f"{labels:,} labels, {out.stat().st_size / _MEGABYTE:.0f} MB in {seconds:.1f} s ="
        f" {rate:,.0f} labels/s {'ok' if rate >= _promise(form) else f'UNDER {_PROMISE}'};"
        f" memory of the process at a quarter {memory.at(0.25):.0f} MB, at the end {memory.at(1):.0f} MB"
    )
    return float(rate)


def _promise(form: str) -> int:
    """Return the labels per second that are promised: of the form that training reads."""
    return _PROMISE if form == "jsonl" else 0


class _Memory(threading.Thread):
    """Looks at the memory of this process ten times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.is_over = threading.Event()
        self._seen: list[float] = []

    def run(self) -> None:
        process = psutil.Process()
        while not self.is_over.wait(0.1):
            self._seen.append(process.memory_info().rss / _MEGABYTE)

    def at(self, share: float) -> float:
        """Return the megabytes when this share of the time was over."""
        return self._seen[min(len(self._seen) - 1, int(share * len(self._seen)))] if self._seen else 0.0


if __name__ == "__main__":
    main()
