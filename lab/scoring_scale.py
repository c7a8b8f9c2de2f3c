"""How many posts are scored per second, end to end, and does it cost more when a million are stored?

make bench ARGS="scoring_scale --stored 10000" and then ARGS="scoring_scale --stored 1000000": everything of
its own, a database for each size. The second compares itself with what the first has left in .state.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import django

from deploy.local.places import ROOT
from lab import _stack

if TYPE_CHECKING:
    from moderation.operations.posts.incoming_post import IncomingPost

_PROMISE = 150
_FLAT = 0.10


@dataclass(frozen=True, kw_only=True)
class Run:
    """One measurement; processor milliseconds per post by part."""

    name: str
    stored: int
    per_second: float
    cpu_ms: dict[str, float]

    @property
    def cost(self) -> float:
        """Return what a post costs in all, in milliseconds of one processor."""
        return sum(self.cpu_ms.values())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--stored", type=int, default=10_000)
    parser.add_argument("--posts", type=int, default=4_000, help="posts of each measurement")
    parser.add_argument("--processes", type=int, default=2)


def main(options: argparse.Namespace) -> None:
    """Measure at one size, compare with the size before; exit code 1 where a promise is broken."""
    with _stack.running(name=f"scale-{options.stored}", has_triton=True, scoring_processes=options.processes):
        django.setup()
        runs = list(_runs(options))
    _print(runs)
    slow = [run.name for run in runs if run.per_second < _PROMISE]
    steeper = _against_first(runs, stored=options.stored)
    if slow or steeper > 1 + _FLAT:
        sys.exit(f"under {_PROMISE} posts/s: {slow}; cost against the first size: {steeper:.2f}")


def _runs(options: argparse.Namespace) -> Iterator[Run]:
    from lab import _million
    from moderation.models import Post

    if not Post.objects.exists():
        _score(_million.posts(count=min(options.stored, 10_000), seed=1))
        _million.spread(share=0.3)
    if Post.objects.count() < options.stored * 0.9:
        _million.grow(to=options.stored)
    for name, share in (("spread out", 0.0), ("30 % with one domain", 0.3)):
        posts = _million.posts(count=options.posts, seed=2)
        yield _measured(name, _with_domain(posts, share=share))


def _against_first(runs: list[Run], *, stored: int) -> float:
    """Store the runs' costs; return the highest ratio to the same run at the smallest size."""
    file = ROOT / ".state" / "bench" / "scoring_scale.json"
    costs: dict[str, dict[str, float]] = json.loads(file.read_text()) if file.exists() else {}
    costs[str(stored)] = {run.name: run.cost for run in runs}
    file.write_text(json.dumps(costs))
    first = costs[min(costs, key=int)]
    ratios = {run.name: run.cost / first[run.name] for run in runs}
    for name, ratio in ratios.items():
        print(f"{name}: costs {ratio:.2f} times what it does with {min(costs, key=int)} stored")
    return max(ratios.values())


def _with_domain(posts: Iterator[IncomingPost], *, share: float) -> Iterator[IncomingPost]:
    from lab import _million

    chance = random.Random(share)
    for number, post in enumerate(posts):
        link = f"https://www.{_million.EVERYWHERE}/{number}"
        yield replace(post, links=(*post.links, link)) if chance.random() < share else post


def _measured(name: str, posts: Iterator[IncomingPost]) -> Run:
    from moderation.models import Post

    count, prepared = Post.objects.count(), list(posts)
    before, began = _stack.processor_seconds(), time.perf_counter()
    _score(iter(prepared))
    seconds = time.perf_counter() - began
    spent = _stack.processor_seconds()
    cpu_ms = {part: 1000 * (spent[part] - before[part]) / len(prepared) for part in spent}
    return Run(name=name, stored=count, per_second=len(prepared) / seconds, cpu_ms=cpu_ms)


def _score(posts: Iterator[IncomingPost]) -> None:
    """Take in posts and wait until all are scored."""
    from lab import _million

    _million.take_in(posts)
    while waiting := _million.unscored():
        sys.stderr.write(f"\r{waiting} posts wait\x1b[K")
        time.sleep(0.2)
    sys.stderr.write("\r\x1b[K")


def _print(runs: list[Run]) -> None:
    parts = sorted({part for run in runs for part in run.cpu_ms})
    print(
        f"{'':<24}{'stored':>10}{'posts/s':>9}{'CPU ms/post':>13}" + "".join(f"{part:>10}" for part in parts)
    )
    for run in runs:
        figures = "".join(f"{run.cpu_ms.get(part, 0.0):>10.2f}" for part in parts)
        print(f"{run.name:<24}{run.stored:>10,}{run.per_second:>9.0f}{run.cost:>13.2f}{figures}")
