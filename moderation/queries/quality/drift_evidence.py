"""Evidence that something has become more frequent, with bounded false alarms. No database; see ADR 26.

A trait's authors in one block are compared with the same hours of the days before by a p-value. Bets
against chance turn p-values into evidence that adds up: a Shiryaev-Roberts e-detector (Shin, Ramdas and
Rinaldo 2022).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from moderation.queries.quality.drift_traits import BUCKETS, SIZES

Numbers = npt.NDArray[np.float64]

FALSE_ALARMS_A_MONTH = 0.05
"""All platforms together: in at most this share of months in which nothing grows by GROWTH."""

GROWTH = 1.5
"""A trait counts as grown if its share is certainly more than so many times what it was."""

BLOCKS_A_MONTH = 180
_STAKES = np.array([0.05, 0.15, 0.4])
_TERMS = 64
_TINY = 1e-15
_EVENLY = np.full(len(_STAKES), 1.0 / len(_STAKES), dtype=np.float32)
_LOG_WEIGHTS = -np.log(np.concatenate([np.full(size, float(len(SIZES) * size)) for size in SIZES.values()]))


def nothing() -> npt.NDArray[np.float32]:
    """Return the evidence before the first block: a row for each bucket, a column for each stake."""
    return np.full((BUCKETS, len(_STAKES)), -np.inf, dtype=np.float32)


def p_values(*, now: Numbers, before: Numbers, authors: float, authors_before: Numbers) -> Numbers:
    """Return how likely it is to count so many or more, if the share is at most GROWTH times that before.

    Given both counts together the new one is binomial, for rare traits nearly and for common ones it varies
    less. `authors` > 0 is of the block, `authors_before` of each bucket's reference; 1 where that is 0.
    """
    both = now + before
    share = GROWTH * authors / (GROWTH * authors + authors_before)
    grown = (now > both * share) & (authors_before > 0)
    found = np.ones(len(now))
    found[grown] = _tails(now[grown], both[grown], share[grown])
    return found


def grown(evidence: npt.NDArray[np.float32], p: Numbers) -> npt.NDArray[np.float32]:
    """Return the evidence after a block.

    A stake κ pays κ p^(κ-1), on average at most 1 under chance; each block may be the first of a change.
    """
    paid = np.log(_STAKES) + (_STAKES - 1.0) * np.log(np.maximum(p, 1e-300))[:, None]
    # log(1 + e), without overflow and several times as fast as logaddexp.
    added = np.maximum(evidence, 0.0) + np.log(1.0 + np.exp(-np.abs(evidence)))
    found: npt.NDArray[np.float32] = (paid + added).astype(np.float32)
    return found


def excess(evidence: npt.NDArray[np.float32], *, platforms: int) -> Numbers:
    """Return for each bucket by how much the logarithm of its evidence exceeds an alarm's; below 0 is none.

    The expected sum of all evidence, each with its weight, is at most the number of blocks: so it reaches
    BLOCKS_A_MONTH / FALSE_ALARMS_A_MONTH within a month with at most that probability (Doob).
    """
    needed = math.log(BLOCKS_A_MONTH * platforms / FALSE_ALARMS_A_MONTH)
    most = np.maximum(np.maximum(evidence[:, 0], evidence[:, 1]), evidence[:, 2])
    known = np.maximum(most, np.float32(-1e30))
    mean = known + np.log(np.exp(evidence - known[:, None]) @ _EVENLY + np.float32(_TINY))
    found: Numbers = np.where(np.isfinite(most), mean, -np.inf) + _LOG_WEIGHTS - needed
    return found


def _tails(at_least: Numbers, trials: Numbers, share: Numbers) -> Numbers:
    """Return P(X ≥ at_least) of binomials, where at_least is above the mean; rounded up, never down."""
    logs = _log_factorials(int(trials.max(initial=0)))
    first = (
        logs[trials.astype(int)]
        - logs[at_least.astype(int)]
        - logs[(trials - at_least).astype(int)]
        + at_least * np.log(share)
        + (trials - at_least) * np.log1p(-share)
    )
    odds = share / (1.0 - share)
    term, total, place = np.ones_like(share), np.ones_like(share), at_least.astype(np.float64)
    for _ in range(_TERMS):
        term = term * (trials - place) / (place + 1.0) * odds
        total += term
        place += 1.0
        if (term <= _TINY * total).all():
            break
    # Ratios of terms fall: what is left is below a geometric series.
    ratio = np.minimum((trials - place) / (place + 1.0) * odds, 1.0 - 1e-9)
    total += term * np.maximum(ratio, 0.0) / (1.0 - np.maximum(ratio, 0.0))
    found: Numbers = np.minimum(1.0, np.exp(first) * total)
    return found


def _log_factorials(most: int) -> Numbers:
    found: Numbers = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, most + 1)))))
    return found
