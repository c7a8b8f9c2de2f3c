"""Do stored scores come out the same when they are scored again with their pinned release?

.venv/bin/python -m lab.replay --scores 1000      (while `make run` is up)

The command `manage.py replay_scores`, timed and against the running product.
"""

from __future__ import annotations

import argparse
import sys
import time

from lab import _product


def main() -> None:
    """Replay a random sample of stored scores; exit code 1 if one differs or could not be replayed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scores", type=int, default=1_000, help="how many, drawn at random")
    count = parser.parse_args().scores
    _product.connect()
    from django.core.management import CommandError, call_command

    start = time.monotonic()
    try:
        call_command("replay_scores", scores=count)
    except CommandError as failed:
        sys.exit(str(failed))
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
