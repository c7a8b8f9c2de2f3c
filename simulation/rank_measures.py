"""How well probabilities rank posts whose truth is known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Flags = Sequence[bool] | npt.NDArray[np.bool_]
Numbers = Sequence[float] | npt.NDArray[np.float64]


def roc_auc(*, truths: Flags, probabilities: Numbers) -> float:
    """Return the chance that a random spam post scores above a random other one, ties counting half.

    In [0, 1], NaN without both classes. The rank sum of Mann and Whitney (1947).
    """
    is_spam, scores = np.asarray(truths, dtype=bool), np.asarray(probabilities, dtype=np.float64)
    spam, talk = int(is_spam.sum()), int((~is_spam).sum())
    if not spam or not talk:
        return math.nan
    _, tie, ties = np.unique(scores, return_inverse=True, return_counts=True)
    # Ranks start at 1; equal scores share the mean of their ranks.
    mean_rank = ties.cumsum() - (ties - 1) / 2
    return float((mean_rank[tie][is_spam].sum() - spam * (spam + 1) / 2) / (spam * talk))


def average_precision(*, truths: Flags, probabilities: Numbers) -> float:
    """Return the area under the precision-recall steps (PR-AUC), tied scores taken together.

    In [0, 1], NaN without spam.
    """
    is_spam, scores = np.asarray(truths, dtype=bool), np.asarray(probabilities, dtype=np.float64)
    if not is_spam.any():
        return math.nan
    order = np.argsort(-scores, kind="stable")
    last_of_tie = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    hits = is_spam[order].cumsum()[last_of_tie]
    precision = hits / (last_of_tie + 1)
    return float((np.diff(hits, prepend=0) * precision).sum() / is_spam.sum())
