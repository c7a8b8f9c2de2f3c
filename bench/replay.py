"""Do stored scores come out the same when they are scored again with their pinned release?

.venv/bin/python -m bench.replay --scores 1000      (while `make run` is up)
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from bench import _product


def main() -> None:
    """Replay a random sample of stored scores; exit code 1 if one differs or could not be replayed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scores", type=int, default=1_000, help="how many, drawn at random")
    count = parser.parse_args().scores
    _product.connect()
    from moderation.models import Score  # noqa: PLC0415 - Django is not set up before
    from moderation.operations.releases import replay  # noqa: PLC0415

    stored = Score.objects.filter(ban__isnull=True, is_degraded=False).order_by("?")[:count]
    begun = time.monotonic()
    found = replay.replay(stored)
    seconds = time.monotonic() - begun
    releases = len({one.release_id for one in found})
    print(f"{len(found)} stored scores of {releases} release(s), replayed in {seconds:.0f} s")
    print(f"{'':<10}{'replayed':>10}{'largest difference':>22}{'tolerance':>12}")
    for part, tolerance in (("trees", replay.TREES_TOLERANCE), ("content", replay.CONTENT_TOLERANCE)):
        _print(part, [getattr(one, part) for one in found], tolerance=tolerance)
    apart = [one for one in found if not one.is_equal or one.why]
    for one in apart[:10]:
        print(f"score {one.score_id} of {one.release_id[:12]}: {one.trees} {one.content} {one.why}")
    if apart or len(found) < count:
        sys.exit(f"{len(apart)} differ or could not be replayed; {count - len(found)} fewer than asked for")


def _print(part: str, differences: Sequence[float | None], *, tolerance: float) -> None:
    known = [one for one in differences if one is not None]
    print(f"{part:<10}{len(known):>10}{max(known, default=float('nan')):>22.2e}{tolerance:>12.0e}")


if __name__ == "__main__":
    main()
