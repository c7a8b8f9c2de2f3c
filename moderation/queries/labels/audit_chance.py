"""The chance that the audit sample draws a post, by its score: doubtful posts teach more. No database."""

import math
from dataclasses import dataclass

UNIFORM = 0.3
"""The part of the sample that does not ask for the score: it alone finds what the model is blind to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """The probability that a post is drawn, and that the uniform part draws it; both in (0, 1].

    One random number decides on both: a post is in the uniform part if the number is below `uniform`.
    """

    total: float
    uniform: float


def doubt(spam_probability: float) -> float:
    """Return the standard deviation of a post's label, sqrt(p (1 - p)), in [0, 0.5].

    Chances proportional to it give an estimate of the share of spam the least variance (Neyman, 1934).
    """
    return math.sqrt(spam_probability * (1.0 - spam_probability))


def of(*, share: float, spam_probability: float, mean_doubt: float | None) -> Chance:
    """Return the chances of a post where `share` of all posts is to be drawn, `mean_doubt` being their mean.

    The sample is uniform while the mean is unknown. A share s with the relative doubt r gives
    1 - (1 - s)^(0.3 + 0.7 r): about s (0.3 + 0.7 r) while that is small, never above 1; a share of 1 gives 1.
    """
    if not mean_doubt:
        return Chance(total=share, uniform=share)
    relative = doubt(spam_probability) / mean_doubt
    return Chance(
        total=_of_share(share, UNIFORM + (1.0 - UNIFORM) * relative), uniform=_of_share(share, UNIFORM)
    )


def _of_share(share: float, times: float) -> float:
    # Exactly 1 is logged for posts that had to go to a human.
    return 1.0 if share >= 1.0 else min(-math.expm1(times * math.log1p(-share)), math.nextafter(1.0, 0.0))
