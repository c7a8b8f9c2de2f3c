"""Shares of all posts, estimated from labels drawn at random with known chances. No database."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from moderation.queries.quality import repeated_looks

FEWEST_SHOWN = 20
"""With fewer labels no share is shown."""

LOOKS = 7
"""A week, looked at every day."""

Numbers = npt.NDArray[np.float64]

_STEPS_OUTWARD, _STEPS = 60, 12
_NEAR = 1e-4
"""Both searches end this near: less moves no shown digit."""

_TINY = 1e-12
"""Shares this near to 1 are 1: rounding leaves no more digits."""

_OF_LIMIT = 0.999
"""A bet of the whole wealth would be lost for ever at the first post that contradicts it."""
_LIGHT = 0.8
"""The lightest labels with this share of all that labels stand for are light ones."""
_WIDE, _NARROW = 0.5, 0.3
"""Half an interval, relative to its share: wider than the first steers nobody, the second does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A share of all posts with its interval.

    `value` is None with fewer than `FEWEST_SHOWN` labels: then nothing but `labels` is to be shown. Without
    any label, and where labels are no sample of these posts, the interval is from 0 to 1.
    """

    value: float | None
    low: float
    high: float
    labels: int


def unknown(*, labels: int) -> Estimate:
    """Return an estimate that says nothing, although there are so many labels."""
    return Estimate(value=None, low=0.0, high=1.0, labels=labels)


def ratio(
    *,
    part: npt.ArrayLike,
    whole: npt.ArrayLike,
    chances: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    alpha: float = 0.05,
    looks: int = LOOKS,
) -> Estimate:
    """Estimate sum(part) / sum(whole) over all posts from those that were drawn, each with its own chance.

    `part` ≤ `whole`, both of 0 and 1; `chances` in (0, 1] are those logged at the draws, made independently
    of one another; `weights` ≥ 0 are views, say: then the sums are of views. `labels` counts those with a
    `whole` of 1 and a weight: the others say nothing of the share.

    The interval holds the share with probability 1 - `alpha` at all of `looks` looks together, evenly spaced
    while the labels come in. It is the set of shares θ against which nobody could have won much by betting:
    under the true θ the payoff (part - θ whole) weight / chance, 0 for a post not drawn, is fair, so a stake
    λ multiplies the wealth by 1 + λ payoff. The best constant λ gives the wealth (the log likelihood ratio of
    Owen, 2001), but only a λ that no possible post could ruin (Waudby-Smith and Ramdas, 2023): the smallest
    chance limits it, so that the interval stays wide until posts of small chance were seen in number.
    `repeated_looks.bound` says how much wealth is too much.

    A few posts have most of the views: a limit that the largest of them could not ruin leaves no interval
    worth showing. With `weights` the limit is what no light post could ruin (these make up four fifths
    of what all labels stand for), nor any label that was given. That is an approximation: ADR 24.

    Raises ValueError, naming the argument, if the arrays do not fit.
    """
    parts, wholes, worth = _checked(part=part, whole=whole, chances=chances, weights=weights)
    counted = (wholes > 0) & (worth > 0)
    parts, worth = parts[counted], worth[counted]
    limit = _of_light_posts(worth) if weights is not None and len(worth) else None
    return _estimated(parts, worth, limit=limit, alpha=alpha, looks=looks)


def mean(
    *, values: npt.ArrayLike, chances: npt.ArrayLike, alpha: float = 0.05, looks: int = LOOKS
) -> Estimate:
    """Estimate the mean over all posts of a value in [0, 1] from those that were drawn, as `ratio` does.

    Raises ValueError if the arrays do not fit, or a value is out of range.
    """
    numbers, drawn = np.asarray(values, dtype=np.float64), np.asarray(chances, dtype=np.float64)
    if numbers.shape != drawn.shape or numbers.ndim != 1:
        raise ValueError(f"chances has shape {drawn.shape}, values {numbers.shape}: one number a label")
    if not ((numbers >= 0) & (numbers <= 1)).all() or not ((drawn > 0) & (drawn <= 1)).all():
        raise ValueError("values are not all in [0, 1], or chances not all in (0, 1]")
    return _estimated(numbers, 1.0 / drawn, alpha=alpha, looks=looks)


def more_labels(found: Estimate) -> int | None:
    """Return about how many more labels make an interval ±30 % of its share; None if it is within ±50 %.

    Its width falls with the root of their number. None too without a share, or where it is 0.
    """
    width = (found.high - found.low) / 2
    if not found.value or width <= _WIDE * found.value:
        return None
    return math.ceil(found.labels * ((width / (_NARROW * found.value)) ** 2 - 1.0))


def _of_light_posts(worth: Numbers) -> float:
    """Return the most that a light label stands for."""
    ordered = np.sort(worth)
    summed = ordered.cumsum()
    return float(ordered[np.searchsorted(summed, summed[-1] * _LIGHT)])


def _estimated(
    parts: Numbers, worth: Numbers, *, alpha: float, looks: int, limit: float | None = None
) -> Estimate:
    """Estimate the mean of `parts` in [0, 1], each standing for `worth` posts.

    No post that stands for `limit` posts or fewer may ruin a bet; None takes the most that any label does.
    """
    labels = len(parts)
    if not labels:
        return unknown(labels=0)
    worth = worth / (limit or worth.max())
    value = float(parts @ worth / worth.sum())
    enough = repeated_looks.bound(alpha=alpha, looks=looks)
    high = _furthest(parts=parts, worth=worth, value=value, enough=enough)
    low = 1.0 - _furthest(parts=1.0 - parts, worth=worth, value=1.0 - value, enough=enough)
    return Estimate(value=value if labels >= FEWEST_SHOWN else None, low=low, high=high, labels=labels)


def _furthest(*, parts: Numbers, worth: Numbers, value: float, enough: float) -> float:
    """Return the largest share that is not refuted: the wealth of those who bet on less grows with it.

    The root of the wealth's logarithm grows almost in proportion to the distance from the value.
    """
    if value >= 1.0 - _TINY:
        return 1.0
    unrefuted, refuted, stake = value, 1.0, 0.0
    # A post of the part that weighs 1, or as much as the heaviest that was seen, pays (share - 1) times that.
    heaviest = max(1.0, float(worth[parts > 0].max(initial=0.0)))
    share = value + math.sqrt(2.0 * enough * float((((parts - value) * worth) ** 2).sum())) / float(
        worth.sum()
    )
    for _ in range(_STEPS_OUTWARD):
        if not unrefuted < share < refuted:
            share = (unrefuted + refuted) / 2
        most = _OF_LIMIT / max((1.0 - share) * heaviest, _TINY)
        stake, wealth = _best_bet((share - parts) * worth, most=most, start=stake)
        if abs(wealth - enough) <= _NEAR * enough:
            return share
        unrefuted, refuted = (unrefuted, share) if wealth > enough else (share, refuted)
        share = value + (share - value) * math.sqrt(enough / wealth) if wealth > 0 else refuted
    return refuted


def _best_bet(payoffs: Numbers, *, most: float, start: float) -> tuple[float, float]:
    """Return the stake in [0, most] with the largest wealth, and the wealth's logarithm, by Newton's method.

    The logarithm is concave in the stake. A stake that is not quite the best makes the interval wider.
    """
    low, high = 0.0, most
    stake = min(start, most)
    for _ in range(_STEPS):
        slopes = payoffs / (1.0 + stake * payoffs)
        slope = float(slopes.sum())
        curve = float(slopes @ slopes)
        low, high = (stake, high) if slope > 0 else (low, stake)
        if (slope > 0 and stake >= most) or abs(slope) <= _NEAR * math.sqrt(curve):
            break
        step = stake + slope / curve
        stake = step if low < step < high else (most if step >= most == high else (low + high) / 2)
    return stake, float(np.log1p(stake * payoffs).sum())


def _checked(
    *, part: npt.ArrayLike, whole: npt.ArrayLike, chances: npt.ArrayLike, weights: npt.ArrayLike | None
) -> tuple[Numbers, Numbers, Numbers]:
    """Return part and whole, and how many posts (or views) of all each label stands for."""
    parts, wholes, drawn = (np.asarray(values, dtype=np.float64) for values in (part, whole, chances))
    weighed = np.ones_like(parts) if weights is None else np.asarray(weights, dtype=np.float64)
    for name, column in (("whole", wholes), ("chances", drawn), ("weights", weighed)):
        if column.shape != parts.shape or column.ndim != 1:
            raise ValueError(f"{name} has shape {column.shape}, part {parts.shape}: one number a label")
    if not np.isin(wholes, (0.0, 1.0)).all() or not np.isin(parts, (0.0, 1.0)).all():
        raise ValueError("part and whole are 0 or 1")
    if (parts > wholes).any():
        raise ValueError("part is 1 where whole is 0: the part is not of the whole")
    if not ((drawn > 0) & (drawn <= 1)).all():
        raise ValueError("chances are not all in (0, 1]: a label without a chance weighs nothing")
    if not (np.isfinite(weighed) & (weighed >= 0)).all():
        raise ValueError("weights are not all finite and at least 0")
    return parts, wholes, weighed / drawn
