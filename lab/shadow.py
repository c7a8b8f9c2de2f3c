"""Is a candidate that is worse on 2 % of traffic named in shadow, and a good one left alone? Simulated weeks.

make bench ARGS="shadow --runs 20"      (needs no running product)

Each run is a week of posts that two releases score, looked at after each of its seven days by the product's
own estimates; the gate is asked as a promotion asks it. Labels are the truth of the simulation: posts of the
route review, the audit sample, and disagreements that somebody draws after the third and the seventh day.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from lab import _shadow_worlds
from lab._shadow_worlds import DAYS, Damage, Flags, ShadowWeek
from moderation.queries.learning import shadow_figures
from moderation.queries.learning.shadow_figures import Comparison, ShadowLabels

_DRAWN_AFTER = (3, 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The result of a run: the first day on which the gate refused, 0 for never, and what was named."""

    refused_on: int
    is_named: bool
    drawn: int
    differing: int


def main() -> None:
    """Simulate and print."""
    options = _options()
    print(
        f"{options.posts} posts a week, {_shadow_worlds.SPAM:.0%} spam, {options.draw} disagreements drawn"
        f" after day {' and '.join(map(str, _DRAWN_AFTER))}; damage on 2 % of posts\n"
    )
    print(f"{'candidate':<42} runs  gate refuses  slice named  first on day  differ  decided")
    for damages in ((Damage.LANGUAGE, Damage.PLATFORM, Damage.HONEST), (Damage.NONE,)):
        dice = np.random.default_rng(options.seed)
        kinds = [damages[place % len(damages)] for place in range(options.runs)]
        weeks = [(kind, simulated(kind, posts=options.posts, draw=options.draw, dice=dice)) for kind in kinds]
        for kind in damages:
            _print(kind.value, [week for of, week in weeks if of is kind])
        if len(damages) > 1:
            _print("all damaged ones", [week for _, week in weeks])


def simulated(damage: Damage, *, posts: int, draw: int, dice: np.random.Generator) -> Ended:
    """Follow one candidate for a week."""
    week = _shadow_worlds.week(damage, posts=posts, dice=dice)
    is_audit = dice.random(posts) < week.audit
    is_drawn, chances = np.zeros(posts, dtype=bool), list[tuple[int, float]]()
    refused_on, is_named, total = 0, False, 0
    for day in range(1, DAYS + 1):
        arrived = posts * day // DAYS
        if day in _DRAWN_AFTER:
            free = np.flatnonzero((week.live != week.candidate)[:arrived] & ~(is_audit | is_drawn)[:arrived])
            sample = dice.permutation(free)[:draw]
            is_drawn[sample] = True
            total += len(sample)
            chances.append((arrived, len(sample) / max(len(free), 1)))
        figures = compared(week, come=arrived, is_labelled=is_audit | is_drawn, draws=chances)
        if not refused_on and not shadow_figures.finding(figures, number=1).passed:
            refused_on = day
        is_named = is_named or any((row.dimension, row.name) == damage.slice for row in figures.worse)
    differing = int((week.live != week.candidate).sum())
    return Ended(refused_on=refused_on, is_named=is_named, drawn=total, differing=differing)


def compared(
    week: ShadowWeek, *, come: int, is_labelled: Flags, draws: list[tuple[int, float]]
) -> Comparison:
    """Compare as the product does: up to the last draw, each label with its chance."""
    until = draws[-1][0] if draws else come
    labelled = np.flatnonzero(is_labelled[:until])
    chance = [
        shadow_figures.chance(
            is_review=week.live[place] == "review",
            audit=float(week.audit[place]),
            draws=[
                share for edge, share in draws if week.live[place] != week.candidate[place] and place < edge
            ],
        )
        for place in labelled.tolist()
    ]
    labels = ShadowLabels(
        is_spam=week.is_spam[labelled],
        chance=np.asarray(chance),
        live=week.live[labelled],
        candidate=week.candidate[labelled],
        slices={name: column[labelled] for name, column in week.slices.items()},
    )
    return shadow_figures.compare(labels, counted=week.counted(until))


def _print(name: str, runs: list[Ended]) -> None:
    if not runs:
        return
    days = [run.refused_on for run in runs if run.refused_on]
    first = f"{np.median(days):.0f} ({min(days)} to {max(days)})" if days else "-"
    print(
        f"{name:<42} {len(runs):4}  {len(days):12}  {sum(run.is_named for run in runs):11}  {first:>12}"
        f"  {np.mean([run.differing for run in runs]):6.0f}  {np.mean([run.drawn for run in runs]):7.0f}",
        flush=True,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--runs", type=int, default=20, help="of damaged candidates, and as many of good ones"
    )
    parser.add_argument("--posts", type=int, default=50_000, help="posts a week that both score")
    parser.add_argument("--draw", type=int, default=300, help="disagreements decided after each draw")
    parser.add_argument("--seed", type=int, default=20)
    return parser.parse_args()


if __name__ == "__main__":
    main()
