"""How soon is a campaign named that the model is blind to, and how often is there a false alarm? Simulated.

make bench ARGS="drift --months 240"      (needs no running product)

Posts are composed by the simulated platform and drawn with replacement, four hours at a time; each has its
own author. Without a campaign nothing changes, so that every alarm is a false one. A campaign is 1 % of
the traffic from some block on; it is named once a trait has an alarm that mostly its posts have.
"""

from __future__ import annotations

import argparse
from collections import deque
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lab import _drift_worlds
from lab._drift_worlds import Numbers, Pool
from moderation.queries.quality import drift_evidence
from moderation.queries.quality.drift_traits import BUCKETS

_BLOCKS_A_DAY, _DAYS, _HOURS = 6, 28, 4
_MONTH = drift_evidence.BLOCKS_A_MONTH
_SETTLED_HOURS = 0.5
_LONGEST_BLOCKS = 42


@dataclass(slots=True)
class _Watch:
    """What the product keeps of a platform: four weeks of blocks by the hour of the day, and evidence."""

    blocks: list[deque[tuple[Numbers, int]]] = field(
        default_factory=lambda: [deque(maxlen=_DAYS) for _ in range(_BLOCKS_A_DAY)]
    )
    sums: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((_BLOCKS_A_DAY, BUCKETS)))
    evidence: npt.NDArray[np.float32] = field(default_factory=drift_evidence.nothing)
    number: int = 0

    def see(self, counts: Numbers, *, authors: int, is_weighed: bool = True) -> npt.NDArray[np.intp]:
        """Weigh a block, keep it, and return the buckets with an alarm."""
        place = self.number % _BLOCKS_A_DAY
        same_hours = self.blocks[place]
        self.number += 1
        alarms: npt.NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        if is_weighed and len(same_hours) == _DAYS:
            paid = drift_evidence.payoffs(
                now=counts,
                before=self.sums[place],
                authors=float(authors),
                authors_before=np.full(BUCKETS, float(sum(number for _, number in same_hours))),
            )
            self.evidence = drift_evidence.grown(self.evidence, paid)
            alarms = np.flatnonzero(drift_evidence.excess(self.evidence, platforms=1) >= 0.0)
            self.evidence[alarms] = -np.inf
        if len(same_hours) == _DAYS:
            self.sums[place] -= same_hours[0][0]
        self.sums[place] += counts
        same_hours.append((counts, authors))
        return alarms

    def copy(self) -> _Watch:
        """Return a copy to go on from."""
        blocks = [deque(block, maxlen=_DAYS) for block in self.blocks]
        return _Watch(blocks, self.sums.copy(), self.evidence.copy(), self.number)


def main() -> None:
    """Simulate and print."""
    options = _options()
    pool = _drift_worlds.ordinary(options.pool, seed=options.seed)
    print(f"false alarms in {options.months} simulated months without a campaign (promise: at most 5 %)")
    for posts in options.posts:
        alarms, months = _false_alarms(pool, posts=posts, options=options)
        print(f"  {posts:6} posts a day: {alarms} alarms, in {months} months ({months / options.months:.1%})")
    print(
        f"\ncampaigns of {options.share:.1%} of the traffic, scored as harmless: hours until they are named"
    )
    for posts in options.posts:
        for is_reworded in (False, True):
            delays = _delays(pool, posts=posts, is_reworded=is_reworded, options=options)
            print(f"  {posts:6} posts a day, {_said(delays, is_reworded=is_reworded)}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--months", type=int, default=240)
    parser.add_argument("--posts", type=int, nargs="+", default=[2_000, 7_000], help="a day")
    parser.add_argument("--campaigns", type=int, default=100)
    parser.add_argument("--share", type=float, default=0.01)
    parser.add_argument("--pool", type=int, default=20_000, help="different posts")
    parser.add_argument("--seed", type=int, default=20)
    return parser.parse_args()


def _filled(pool: Pool, *, posts: int, dice: np.random.Generator) -> _Watch:
    """Return a watch with four weeks of blocks, not weighed yet."""
    watch = _Watch()
    for _ in range(_DAYS * _BLOCKS_A_DAY):
        authors = int(dice.poisson(posts / _BLOCKS_A_DAY))
        watch.see(pool.counts(authors, dice=dice), authors=authors, is_weighed=False)
    return watch


def _false_alarms(pool: Pool, *, posts: int, options: argparse.Namespace) -> tuple[int, int]:
    """Return how many alarms there were, several at once as one, and in how many months."""
    dice = np.random.default_rng(options.seed)
    watch = _filled(pool, posts=posts, dice=dice)
    alarms: list[int] = []
    for block in range(options.months * _MONTH):
        authors = int(dice.poisson(posts / _BLOCKS_A_DAY))
        if len(watch.see(pool.counts(authors, dice=dice), authors=authors)):
            alarms.append(block // _MONTH)
    return len(alarms), len(set(alarms))


def _delays(pool: Pool, *, posts: int, is_reworded: bool, options: argparse.Namespace) -> list[float]:
    """Return the hours from a campaign's first block until it is named; infinite if it is not in a week."""
    dice = np.random.default_rng(options.seed + 1)
    watch = _filled(pool, posts=posts, dice=dice)
    for _ in range(5 * _BLOCKS_A_DAY):
        authors = int(dice.poisson(posts / _BLOCKS_A_DAY))
        watch.see(pool.counts(authors, dice=dice), authors=authors)
    return [
        _delay(
            pool,
            _drift_worlds.campaign(600, is_reworded=is_reworded, seed=options.seed + number),
            watch=watch.copy(),
            a_block=posts / _BLOCKS_A_DAY,
            share=options.share,
            dice=dice,
        )
        for number in range(options.campaigns)
    ]


def _delay(
    pool: Pool, planted: Pool, *, watch: _Watch, a_block: float, share: float, dice: np.random.Generator
) -> float:
    of_day: deque[tuple[Numbers, Numbers]] = deque(maxlen=_BLOCKS_A_DAY)
    for block in range(1, _LONGEST_BLOCKS + 1):
        honest, spam = int(dice.poisson(a_block)), int(dice.poisson(a_block * share))
        own = planted.counts(spam, dice=dice)
        counts = pool.counts(honest, dice=dice) + own
        of_day.append((own, counts))
        alarms = watch.see(counts, authors=honest + spam)
        theirs, everybody = (np.sum(day, axis=0)[alarms] for day in zip(*of_day, strict=True))
        if len(alarms) and bool((2 * theirs > everybody).any()):
            return block * _HOURS + _SETTLED_HOURS
    return float("inf")


def _said(delays: list[float], *, is_reworded: bool) -> str:
    hours = np.sort(delays)
    wording = "written anew each time" if is_reworded else "one wording"
    share = float((hours <= 24).mean())
    middle, most = hours[len(hours) // 2], hours[min(len(hours) - 1, int(0.95 * len(hours)))]
    return f"{wording}: median {middle:.1f} h, 95 of 100 by {most:.1f} h; within a day {share:.0%}"


if __name__ == "__main__":
    main()
