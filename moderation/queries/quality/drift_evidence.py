"""Evidence that something has become more frequent, with bounded false alarms. No database; see ADR 26.

A trait's authors in one block are compared with the same hours of the days before by bets that it has grown.
Their payoffs add up to evidence: a Shiryaev-Roberts e-detector (Shin, Ramdas and Rinaldo 2022).
"""

import math

import numpy as np
import numpy.typing as npt

from moderation.queries.quality.drift_traits import BUCKETS, SIZES

Numbers = npt.NDArray[np.float64]

FALSE_ALARMS_A_MONTH = 0.05
"""The greatest share of months with a false alarm on any platform, if nothing grows by GROWTH."""

GROWTH = 1.5
"""A trait counts as grown if its share is certainly more than so many times what it was."""

BLOCKS_A_MONTH = 180
_GUESSES = (3.0, 10.0, 80.0)
"""The factors by which a trait's share may have grown, one bet for each. Small ones add up over a day; large
ones fit a domain or a word that was never there."""

_TINY = 1e-15
_EVENLY = np.full(len(_GUESSES), 1.0 / len(_GUESSES), dtype=np.float32)
_LOG_WEIGHTS = -np.log(np.concatenate([np.full(size, float(len(SIZES) * size)) for size in SIZES.values()]))


def nothing() -> npt.NDArray[np.float32]:
    """Return the evidence before the first block: a row for each bucket, a column for each bet."""
    return np.full((BUCKETS, len(_GUESSES)), -np.inf, dtype=np.float32)


def payoffs(
    *, now: Numbers, before: Numbers, authors: float, authors_before: Numbers
) -> npt.NDArray[np.float32]:
    """Return the logarithm of what each bet pays (n, bets), 0 where there is no reference.

    A bet pays the likelihood of its guess over that of GROWTH. Given both counts together the new one is
    binomial for rare traits, and varies less for common ones (Hoeffding 1963): so it pays at most 1 on
    average if the share is at most GROWTH times that before. `authors` > 0 is of the block, `authors_before`
    of each bucket's reference.
    """
    has_reference = authors_before > 0
    reference = np.where(has_reference, authors_before, 1.0)
    logarithms = np.zeros((len(now), len(_GUESSES)), dtype=np.float32)
    for column, guess in enumerate(_GUESSES):
        # Shares of both counts are times · authors / (times · authors + reference).
        both = np.log(GROWTH * authors + reference) - np.log(guess * authors + reference)
        logarithms[:, column] = now * math.log(guess / GROWTH) + (now + before) * both
    return np.where(has_reference[:, None], logarithms, np.float32(0.0))


def grown(evidence: npt.NDArray[np.float32], paid: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the evidence after a block that paid so much; each block may be the first of a change."""
    # log(1 + e), without overflow and several times as fast as logaddexp.
    added = np.maximum(evidence, 0.0) + np.log(1.0 + np.exp(-np.abs(evidence)))
    total: npt.NDArray[np.float32] = (paid + added).astype(np.float32)
    return total


def excess(evidence: npt.NDArray[np.float32], *, platforms: int) -> Numbers:
    """Return for each bucket by how much the logarithm of its evidence exceeds an alarm's; below 0 is none.

    The expected sum of all evidence, each with its weight, is at most the number of blocks: so it reaches
    BLOCKS_A_MONTH / FALSE_ALARMS_A_MONTH within a month with at most that probability (Doob).
    """
    needed = math.log(BLOCKS_A_MONTH * platforms / FALSE_ALARMS_A_MONTH)
    most = np.maximum(np.maximum(evidence[:, 0], evidence[:, 1]), evidence[:, 2])
    finite = np.maximum(most, np.float32(-1e30))
    mean = finite + np.log(np.exp(evidence - finite[:, None]) @ _EVENLY + np.float32(_TINY))
    margin: Numbers = np.where(np.isfinite(most), mean, -np.inf) + _LOG_WEIGHTS - needed
    return margin
