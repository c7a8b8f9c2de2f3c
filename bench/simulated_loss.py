"""Is anything lost when processes die? Kill a worker, the broker and Triton while simulated posts come in.

make bench ARGS=simulated_loss      (while `make run` is up; it is your own product that is hurt)

Each is killed with signal 9 once. Every post must be stored once and scored once for each reason to score
it; those scored without content while Triton was away must be scored again.
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench import _product
from deploy.local import child
from moderation.simulation.events import PostEvent
from moderation.simulation.world import World

_BULK = 20
_VICTIMS = {"worker": "--queues=scoring", "broker": "valkey-server", "Triton": "tritonserver"}
_BACK_WITHIN_SECONDS = 90


@dataclass(frozen=True, kw_only=True)
class _Kill:
    """One killed process and its successor."""

    name: str
    after_posts: int
    process: int
    seconds_until_back: Future[float]


def main() -> None:
    """Send, kill, wait, count; exit code 1 if a post was lost or doubled."""
    options = _options()
    _product.connect()
    run = f"loss-{secrets.token_hex(4)}"
    posts = _posts(count=options.posts, run=run)
    kills, refused = _send(posts, rate=options.rate)
    back = {kill.name: kill.seconds_until_back.result() for kill in kills}
    _product.wait_for(done=lambda: _count(run)["settled"], expected=options.posts, says="scored with content")
    found = _count(run)
    _print(kills, back=back, found=found, refused=refused, posts=options.posts)
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


def _send(posts: list[dict[str, Any]], *, rate: float) -> tuple[list[_Kill], list[str]]:
    """Send the posts, and kill one process after each quarter of them."""
    begun, kills, refused = time.monotonic(), [], []
    due = [(len(posts) * (number + 1) // 4, name) for number, name in enumerate(_VICTIMS)]
    with _product.door() as door, ThreadPoolExecutor(len(due)) as watchers:
        for start in range(0, len(posts), _BULK):
            if due and start >= due[0][0]:
                kills.append(_kill(due.pop(0)[1], after_posts=start, watchers=watchers))
            refused += door.send_posts(posts[start : start + _BULK])
            time.sleep(max(0.0, begun + start / rate - time.monotonic()))
    return kills, refused


def _kill(name: str, *, after_posts: int, watchers: ThreadPoolExecutor) -> _Kill:
    found = _processes(name)
    if not found:
        sys.exit(f"No {name} of this product runs here; it can only be killed on the machine of `make run`.")
    os.kill(found[0], signal.SIGKILL)
    seconds_until_back = watchers.submit(_seconds_until_back, name, gone=frozenset(found))
    return _Kill(name=name, after_posts=after_posts, process=found[0], seconds_until_back=seconds_until_back)


def _processes(name: str) -> list[int]:
    """Return the running product's processes of this name, the oldest first: the one that owns the others."""
    ours = child.leftovers(mark=os.environ["SPAMDESK_STATE_DIR"])
    return sorted(process for process in ours if _VICTIMS[name] in _command(process))


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _seconds_until_back(name: str, *, gone: frozenset[int]) -> float:
    """Return how long it took until another process stood in; infinite if none did."""
    killed_at = time.monotonic()
    while time.monotonic() - killed_at < _BACK_WITHIN_SECONDS:
        # The children of a killed worker linger for a moment: only a process that was not there counts.
        if set(_processes(name)) - gone:
            return time.monotonic() - killed_at
        time.sleep(0.1)
    return float("inf")


def _count(run: str) -> dict[str, int]:
    """Count this run's posts: stored, scored, with content by now, scored more often than asked for."""
    from django.db.models import Count, F, Q  # noqa: PLC0415 - Django is not set up before `connect`

    from moderation.models import Post, Revision  # noqa: PLC0415
    from moderation.models.posts import ScoreState  # noqa: PLC0415

    revisions = Revision.objects.filter(post__external_id__startswith=run)
    scored = revisions.annotate(
        times=Count("scores"), without_content=Count("scores", filter=Q(scores__is_degraded=True))
    )
    return {
        "posts": Post.objects.filter(external_id__startswith=run).count(),
        "scored": scored.filter(times__gt=0).count(),
        "settled": revisions.filter(score_state=ScoreState.SCORED).count(),
        "degraded": scored.filter(without_content__gt=0).count(),
        "doubled": scored.filter(times__gt=F("generation")).count(),
    }


def _print(
    kills: list[_Kill], *, back: dict[str, float], found: dict[str, int], refused: list[str], posts: int
) -> None:
    print(f"{'killed -9':<12}{'after posts':>12}{'process':>10}{'seen replaced after':>22}")
    for kill in kills:
        print(f"{kill.name:<12}{kill.after_posts:>12}{kill.process:>10}{back[kill.name]:>20.1f} s")
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
