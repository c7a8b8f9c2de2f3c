"""Agreement between people who judged the same text: Krippendorff's alpha with a bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.float64]
_SAMPLES, _SEED = 1_000, 20_260_301


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Alpha, at most 1; 0 is what chance gives. None where all judged alike, or no text was judged twice."""

    alpha: float | None
    low: float | None
    high: float | None
    texts: int


def agreement(*, spam: npt.ArrayLike, judgements: npt.ArrayLike) -> Agreement:
    """Compute alpha for two values from how many people judged each text, and how many of them said spam.

    Texts with one judgement are left out. Krippendorff, Content Analysis (2018), chapter 12, nominal data.
    The interval is the middle 95 % of resampled texts.
    """
    said, all_ = np.asarray(spam, dtype=np.float64), np.asarray(judgements, dtype=np.float64)
    pairs = all_ >= 2
    said, all_ = said[pairs], all_[pairs]
    found = _alpha(said, all_)
    if found is None:
        return Agreement(alpha=None, low=None, high=None, texts=len(said))
    random = np.random.default_rng(_SEED)
    drawn = (random.integers(0, len(said), len(said)) for _ in range(_SAMPLES))
    alphas = [alpha for rows in drawn if (alpha := _alpha(said[rows], all_[rows])) is not None]
    low, high = np.quantile(alphas, (0.025, 0.975))
    return Agreement(alpha=found, low=float(low), high=float(high), texts=len(said))


def _alpha(spam: Counts, judgements: Counts) -> float | None:
    total, spams = judgements.sum(), spam.sum()
    expected = spams * (total - spams)
    if not expected:
        return None
    observed = (spam * (judgements - spam) / (judgements - 1)).sum()
    return float(1 - (total - 1) * observed / expected)
