"""How far an estimate may stray by chance when it is looked at several times."""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

_Numbers = npt.NDArray[np.float64]

_CELLS = 160
_HALVINGS = 20
_NEAR = 1e-9


@lru_cache(maxsize=64)
def bound(*, alpha: float, looks: int) -> float:
    """Return the log likelihood ratio that chance alone reaches at any of the looks with probability `alpha`.

    c²/2 with Pocock's constant c for evenly spaced looks (Biometrika 64, 1977): 1.92 for one look at 5 %,
    3.09 for seven. Raises ValueError if `alpha` is not in (0, 1) or `looks` is below 1.
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha {alpha} is not in (0, 1)")
    if looks < 1:
        raise ValueError(f"looks {looks} is below 1")
    single = NormalDist().inv_cdf(1 - alpha / 2)
    low, high = single, NormalDist().inv_cdf(1 - alpha / (2 * looks)) + 1e-9
    for _ in range(_HALVINGS if looks > 1 else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, looks=looks) < 1 - alpha else (low, middle)
    return (low if looks == 1 else high) ** 2 / 2


def interval(*, part: int, rest: int, expected: float, alpha: float = 0.05) -> tuple[float, float]:
    """Return an interval of a share that holds at all looks together, however many, with 1 - `alpha`.

    `part` of `part + rest` independent posts were of the share. Under the true share θ the likelihood ratio
    to θ of shares mixed by a beta distribution, here of mean `expected`, is a martingale that begins at 1
    (Robbins, Ann. Math. Stat. 41, 1970): by Ville's inequality it ever reaches 1 / `alpha` with probability
    `alpha` at most (Howard et al., Ann. Stat. 49, 2021). The interval is the θ for which it has not.
    """
    prior = expected / (1.0 - expected)
    mixed = _log_beta(prior + part, 1.0 + rest) - _log_beta(prior, 1.0)

    def is_refuted(share: float) -> bool:
        return mixed - part * math.log(share) - rest * math.log1p(-share) >= -math.log(alpha)

    value = part / max(1, part + rest)
    return _edge(value, 0.0, is_refuted), _edge(value, 1.0, is_refuted)


def _edge(held: float, refuted: float, is_refuted: Callable[[float], bool]) -> float:
    """Return the share nearest to `refuted` that is not refuted."""
    while abs(refuted - held) > _NEAR:
        middle = (held + refuted) / 2
        held, refuted = (held, middle) if is_refuted(middle) else (middle, refuted)
    return held


def _log_beta(first: float, other: float) -> float:
    return math.lgamma(first) + math.lgamma(other) - math.lgamma(first + other)


def _within(constant: float, *, looks: int) -> float:
    """Return the probability that a random walk stays within `constant` standard errors at each look.

    The recursion of Armitage, McPherson and Rowe (JRSS A 132, 1969) on a grid.
    """
    at = _grid(constant)
    density = _normal(at)
    for look in range(2, looks + 1):
        step = at[1] - at[0]
        wider = _grid(constant * math.sqrt(look))
        density = _normal(wider[:, None] - at[None, :]) @ density * step
        at = wider
    return float(density.sum() * (at[1] - at[0]))


def _grid(edge: float) -> _Numbers:
    """Return the middles of equal cells from -edge to edge."""
    return (np.arange(_CELLS, dtype=np.float64) + 0.5) * (2 * edge / _CELLS) - edge


def _normal(at: _Numbers) -> _Numbers:
    density: _Numbers = np.exp(-(at**2) / 2) / math.sqrt(2 * math.pi)
    return density
