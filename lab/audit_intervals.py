"""Do the intervals of the audit sample hold the truth, and how many labels do they take? Simulated weeks.

make bench ARGS="audit_intervals --weeks 2000"      (needs no running product)
make bench ARGS="audit_intervals --weeks 0"         (only how many labels any draw by the score would take)
make bench ARGS="audit_intervals --views 2"         (shares of views, log-normal with this deviation)

Each week is looked at after each of its seven days; the truth is the share among the posts that had come by
then.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lab import _audit_worlds
from lab._audit_worlds import Flags, Numbers, Week, WorldKind
from moderation.queries.quality import estimates

_DAYS = 7
_NORMAL = 1.96
_MANY_POSTS = 2_000_000
_WANTED = 0.2
_DESIGNS = {"uniform": (False, 2_000), "by score": (True, 700)}
_METHODS = ("the desk's", "for one look", "normal")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What one look at one figure gave: which methods' intervals held the truth, and relative widths."""

    is_held: tuple[bool, bool, bool]
    half_width: float
    error: float
    labels: int


def main() -> None:
    """Simulate and print."""
    options = _options()
    _say_needed(seed=options.seed)
    if not options.weeks:
        return
    print(f"{options.weeks} simulated weeks of {options.posts} automatic verdicts each, looked at daily\n")
    heads = "coverage at the last look, then at all seven: the desk's | for one look | normal"
    print(f"{'world':<11} {'draw':<9} {'figure':<12} labels  {heads}")
    for kind in WorldKind:
        for design, (by_score, labels) in _DESIGNS.items():
            weeks_by_figure = _simulated(kind, by_score=by_score, labels=labels, options=options)
            for figure, weeks in weeks_by_figure.items():
                print(f"{kind:<11} {design:<9} {figure:<12} {_row(weeks)}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weeks", type=int, default=2_000)
    parser.add_argument("--posts", type=int, default=50_000, help="automatic verdicts a week")
    parser.add_argument("--views", type=float, default=0.0, help="spread of views; 0 counts posts")
    parser.add_argument("--seed", type=int, default=20)
    return parser.parse_args()


def _say_needed(*, seed: int) -> None:
    print(f"labels of posts let through for a standard error of ±{_WANTED:.0%} of the missed spam, expected")
    for kind in WorldKind:
        needs = _audit_worlds.needed_labels(
            kind, error=_WANTED, posts=_MANY_POSTS, dice=np.random.default_rng(seed)
        )
        print(
            f"{kind:<11} uniform {needs.uniform:.0f}, by score {needs.by_score:.0f}, "
            f"by the best chances that follow from the score {needs.best:.0f}"
        )
    print(flush=True)


def _simulated(
    kind: WorldKind, *, by_score: bool, labels: int, options: argparse.Namespace
) -> dict[str, list[list[_Look]]]:
    """Return the seven looks of each week, by figure."""
    dice = np.random.default_rng(options.seed)
    looks: dict[str, list[list[_Look]]] = {"missed spam": [], "precision": []}
    for _ in range(options.weeks):
        week = _audit_worlds.week(kind, posts=options.posts, dice=dice)
        chances = _audit_worlds.chances(week.scores, share=labels / options.posts, by_score=by_score)
        draw = dice.random(options.posts) < chances
        views = _audit_worlds.views(posts=options.posts, spread=options.views, dice=dice)
        for figure, whole in (("missed spam", ~week.is_removed), ("precision", week.is_removed)):
            looks[figure].append(list(_looks(week, whole=whole, chances=chances, drawn=draw, views=views)))
    return looks


def _looks(
    week: Week, *, whole: Flags, chances: Numbers, drawn: Flags, views: Numbers | None
) -> Iterator[_Look]:
    for day in range(1, _DAYS + 1):
        arrived = len(drawn) * day // _DAYS
        counts = None if views is None else views[:arrived][whole[:arrived]]
        truth = float(np.average(week.is_spam[:arrived][whole[:arrived]], weights=counts))
        places = np.flatnonzero((drawn & whole)[:arrived])
        yield _look(
            week.is_spam[places],
            chances=chances[places],
            truth=truth,
            views=None if views is None else views[places],
        )


def _look(is_spam: Flags, *, chances: Numbers, truth: float, views: Numbers | None) -> _Look:
    daily, once = (
        estimates.ratio(
            part=is_spam, whole=np.ones(len(is_spam)), chances=chances, weights=views, looks=looks
        )
        for looks in (_DAYS, 1)
    )
    worth = (1.0 if views is None else views) / chances
    all_posts = max(float(worth.sum()), 1.0)
    value = float(is_spam @ worth) / all_posts
    error = float(np.sqrt((((is_spam - value) * worth) ** 2).sum())) / all_posts
    is_held = (
        daily.low <= truth <= daily.high,
        once.low <= truth <= once.high,
        abs(value - truth) <= _NORMAL * error,
    )
    half_width = (daily.high - daily.low) / 2
    return _Look(is_held=is_held, half_width=half_width / truth, error=error / truth, labels=len(is_spam))


def _row(weeks: list[list[_Look]]) -> str:
    holds = np.array([[look.is_held for look in week] for week in weeks])
    last, always = holds[:, -1].mean(axis=0), holds.all(axis=1).mean(axis=0)
    labels = float(np.mean([week[-1].labels for week in weeks]))
    error, half_width = (
        float(np.median([getattr(week[-1], name) for week in weeks])) for name in ("error", "half_width")
    )
    covered = " | ".join(
        f"{100 * at_last:5.1f} {100 * at_all:5.1f}" for at_last, at_all in zip(last, always, strict=True)
    )
    widths = f"standard error ±{error:.1%}, interval ±{half_width:.1%}"
    needs = [labels * (width / _WANTED) ** 2 for width in (error, half_width)]
    return (
        f"{labels:6.0f}  {covered}   {widths}; for ±{_WANTED:.0%}: {needs[0]:.0f} and {needs[1]:.0f} labels"
    )


if __name__ == "__main__":
    main()
