"""Is a candidate that is worse on 2 % of traffic stopped by canary or gate, and a good one not? Simulated.

make bench ARGS="canary --runs 20"      (needs no running product)

Each candidate is first a week in shadow, as `bench shadow` simulates it; the gate is asked as a proposal of a
canary asks it. Then, whatever the gate said, so that the canary is seen alone, it decides for a share of
authors for four weeks. The product's own comparison of both arms is made on some days, from the truth of the
posts that the audit sample drew, and from removals of honest posts that people had taken back.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from bench import _no_servers, _shadow_worlds, shadow  # noqa: F401 - the first sets Django up
from bench._shadow_worlds import DAYS, Damage, Flags, ShadowWeek
from moderation.queries.learning import canary_figures
from moderation.queries.quality import estimates
from moderation.queries.quality.estimates import Estimate
from moderation.queries.quality.labelled_posts import LabelledPosts

_LIVE, _CANDIDATE = "live", "candidate"
_LOOKED_AFTER = (1, 2, 3, 5, 7, 10, 14, 21, 28)
_TAKEN_BACK = 0.1
"""Of honest posts that are removed."""

_POSTS_OF_AN_AUTHOR = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What stopped a candidate: the gate after its week in shadow, and the day of the canary's end, or 0."""

    is_refused: bool
    stopped_on: int
    measure: str


def main() -> None:
    """Simulate and print."""
    options = _options()
    print(
        f"{options.posts} posts a week, {options.share:.0%} of authors in the canary,"
        f" {_TAKEN_BACK:.0%} of honest removals taken back; damage on 2 % of posts\n"
    )
    print(f"{'candidate':<42} runs  gate refuses  canary ends it  by day 7  either  first on day  by")
    for damages in ((Damage.LANGUAGE, Damage.PLATFORM, Damage.HONEST), (Damage.NONE,)):
        dice = np.random.default_rng(options.seed)
        kinds = [damages[place % len(damages)] for place in range(options.runs)]
        found = [(kind, simulated(kind, options=options, dice=dice)) for kind in kinds]
        for kind in damages:
            _print(kind.value, [one for of, one in found if of is kind])
        if len(damages) > 1:
            _print("all damaged ones", [one for _, one in found])


def simulated(damage: Damage, *, options: argparse.Namespace, dice: np.random.Generator) -> Ended:
    """Follow one candidate through its week in shadow and, whatever came of that, through its canary."""
    in_shadow = shadow.simulated(damage, posts=options.posts, draw=options.draw, dice=dice)
    weeks = _LOOKED_AFTER[-1] // DAYS
    traffic = _shadow_worlds.week(damage, posts=weeks * options.posts, dice=dice)
    author = dice.integers(0, len(traffic) // _POSTS_OF_AN_AUTHOR, len(traffic))
    is_theirs = (dice.random(author.max() + 1) < options.share)[author]
    is_drawn = dice.random(len(traffic)) < traffic.audit
    is_back = ~traffic.is_spam & (dice.random(len(traffic)) < _TAKEN_BACK)
    for day in _LOOKED_AFTER:
        come = len(traffic) * day // _LOOKED_AFTER[-1]
        found = compared(traffic, come=come, is_theirs=is_theirs, is_drawn=is_drawn, is_back=is_back)
        worse = [one.name for one in found if one.is_worse]
        if worse:
            return Ended(is_refused=bool(in_shadow.refused_on), stopped_on=day, measure=worse[0])
    return Ended(is_refused=bool(in_shadow.refused_on), stopped_on=0, measure="")


def compared(
    traffic: ShadowWeek, *, come: int, is_theirs: Flags, is_drawn: Flags, is_back: Flags
) -> list[canary_figures.ArmFigure]:
    """Compare the arms by the posts that have come, as the sweep does."""
    route = np.where(is_theirs, traffic.candidate, traffic.live)[:come]
    chosen = np.flatnonzero(is_drawn[:come] & (route != "review"))
    arm = np.where(is_theirs[chosen], _CANDIDATE, _LIVE).astype(object)
    is_removed = route == "remove"

    def taken_back(is_arm: Flags) -> Estimate:
        removed = np.flatnonzero(is_removed & is_arm[:come])
        return estimates.ratio(
            part=is_back[removed].astype(float),
            whole=np.ones(len(removed)),
            chances=np.ones(len(removed)),
            looks=canary_figures.LOOKS,
        )

    return canary_figures.compared(
        _labelled(traffic, chosen=chosen, route=route, arm=arm),
        live=_LIVE,
        candidate=_CANDIDATE,
        taken_back=(taken_back(~is_theirs), taken_back(is_theirs)),
    )


def _labelled(traffic: ShadowWeek, *, chosen: Any, route: Any, arm: Any) -> LabelledPosts:
    """Return the labels of the posts that the audit sample drew."""
    posts = len(chosen)
    when = np.full(posts, datetime(2026, 1, 1, tzinfo=UTC), dtype=object)
    nobody, nothing = np.zeros(posts, dtype=np.int64), np.full(posts, "", dtype=object)
    return LabelledPosts(
        post_id=chosen.astype(np.int64),
        spam_probability=np.zeros(posts),
        automatic=route[chosen],
        is_spam=traffic.is_spam[chosen],
        chance=traffic.audit[chosen],
        is_uniform=np.zeros(posts, dtype=bool),
        uniform_chance=np.ones(posts),
        platform_id=nobody,
        language=nothing,
        reason=nothing,
        release_id=arm,
        decided_by=nobody,
        scored_at=when,
        labelled_at=when,
        views=np.full(posts, np.nan),
    )


def _print(name: str, runs: list[Ended]) -> None:
    if not runs:
        return
    days = [one.stopped_on for one in runs if one.stopped_on]
    either = sum(one.is_refused or bool(one.stopped_on) for one in runs)
    first = f"{np.median(days):.0f} ({min(days)} to {max(days)})" if days else "-"
    by = ", ".join(sorted({one.measure for one in runs if one.measure})) or "-"
    print(
        f"{name:<42} {len(runs):4}  {sum(one.is_refused for one in runs):12}  {len(days):14}"
        f"  {sum(day <= DAYS for day in days):8}  {either:6}  {first:>12}  {by}",
        flush=True,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--runs", type=int, default=20, help="of damaged candidates, and as many of good ones"
    )
    parser.add_argument("--posts", type=int, default=50_000, help="posts a week")
    parser.add_argument("--share", type=float, default=0.2, help="of authors in the canary")
    parser.add_argument(
        "--draw", type=int, default=300, help="disagreements decided after each draw in shadow"
    )
    parser.add_argument("--seed", type=int, default=20)
    return parser.parse_args()


if __name__ == "__main__":
    main()
