"""Is anything lost when processes die? Kill a worker, the broker and Triton while simulated posts come in.

make bench ARGS=simulated_loss      (while `make run` is up; it is your own product that is hurt)

Each is killed with signal 9 once. Every post must be stored once and scored once for each reason to score
it; those scored without content while Triton was away must be scored again.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

from bench import _kills, _product
from moderation.simulation.events import PostEvent
from moderation.simulation.world import World

_BULK = 20
_VICTIMS = ("worker", "broker", "Triton")


def main() -> None:
    """Send, kill, wait, count; exit code 1 if a post was lost or doubled."""
    options = _options()
    _product.connect()
    from bench import _run_rows  # noqa: PLC0415 - Django is not set up before

    run = f"loss-{secrets.token_hex(4)}"
    posts = _posts(count=options.posts, run=run)
    kills, refused = _send(posts, rate=options.rate)
    _product.wait_for(done=lambda: _run_rows.settled(run), expected=options.posts, says="scored with content")
    found = _run_rows.count(run)
    _kills.print_kills(kills)
    _print(found, refused=refused, posts=options.posts)
    if refused or found["settled"] < options.posts or found["posts"] != options.posts or found["doubled"]:
        sys.exit(1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--posts", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=40.0, help="posts per second")
    return parser.parse_args()


def _posts(*, count: int, run: str) -> list[dict[str, Any]]:
    start = datetime.now(UTC) - timedelta(days=2)
    world = World(seed=secrets.randbelow(10**6), run=run)
    events = world.run(start=start, seconds_per_post=2 * 86_400 / count, posts=count)
    return [event.payload for event in events if isinstance(event, PostEvent)]


def _send(posts: list[dict[str, Any]], *, rate: float) -> tuple[list[_kills.Kill], list[str]]:
    """Send the posts, and kill one process after each quarter of them."""
    begun = time.monotonic()
    kills: list[_kills.Kill] = []
    refused: list[str] = []
    due = [(len(posts) * (number + 1) // 4, name) for number, name in enumerate(_VICTIMS)]
    with _product.api() as api, ThreadPoolExecutor(len(due)) as watchers:
        for start in range(0, len(posts), _BULK):
            if due and start >= due[0][0]:
                kills.append(_kills.kill(due.pop(0)[1], after_posts=start, watchers=watchers))
            refused += api.send_posts(posts[start : start + _BULK])
            time.sleep(max(0.0, begun + start / rate - time.monotonic()))
    return kills, refused


def _print(found: dict[str, int], *, refused: list[str], posts: int) -> None:
    print()
    for says, count in (
        ("simulated posts sent", posts),
        ("refused", len(refused)),
        ("stored", found["posts"]),
        ("scored", found["scored"]),
        ("lost", posts - found["scored"]),
        ("doubled (post or score)", found["doubled"] + max(0, found["posts"] - posts)),
        ("scored without content for a while", found["degraded"]),
        ("scored with content at the end", found["settled"]),
    ):
        print(f"{says:<36}{count:>7}")


if __name__ == "__main__":
    main()
