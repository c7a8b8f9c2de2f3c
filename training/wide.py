"""The wide half of the content model: logistic regression over the word pieces of a text and their pairs.

It sees what the deep half smooths over: rare words, names, how a text begins and ends. Each piece and pair
counts once, weighted by its inverse document frequency, in a vector of length one. Pairs share a table by
hash, so that it is of one size. Wide and deep together: Cheng et al., Wide & Deep Learning for Recommender
Systems, 2016. `wide_and_deep.py` computes the same in the served graph.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.ensemble import probabilities_of
from training.evaluate import Floats

PAIR_CODES = 2**17
_MULTIPLIER = 31_337
# A piece or pair of a single text tells about that text alone.
_SEEN_IN = 2
_REGULARISATION = 100.0


@dataclass(frozen=True)
class Wide:
    """A fitted model: `weights` and `squares` float64 (rows,) by piece or pair, and a bias, in log-odds.

    Over the places of a text's pieces and pairs: margin = sum of weights / sqrt(sum of squares) + bias.
    """

    weights: Floats
    squares: Floats
    bias: float

    @property
    def vocabulary(self) -> int:
        """How many word pieces there are."""
        return (len(self.weights) - PAIR_CODES) // 2

    def margins(self, ids: Sequence[Sequence[int]]) -> Floats:
        """Answer the log-odds of spam of tokenized texts: float64 (n_texts,)."""
        presence = _presence(ids, vocabulary=self.vocabulary)
        lengths = np.sqrt(np.maximum(presence @ self.squares, 1.0))
        return np.asarray(presence @ self.weights / lengths + self.bias, dtype=np.float64)


@dataclass(frozen=True)
class Mix:
    """How the two halves join: deep · deep margin + wide · wide margin + intercept, in log-odds."""

    deep: float
    wide: float
    intercept: float

    def probabilities(self, *, deep: Floats, wide: Floats) -> Floats:
        """Mix the margins of texts, float64 (n_texts,) each, into P(spam)."""
        return probabilities_of(self.deep * deep + self.wide * wide + self.intercept)

    def calibrated(self, by: tuple[float, float]) -> "Mix":
        """Send the mixed margin through slope and intercept."""
        slope, intercept = by
        return Mix(
            deep=slope * self.deep, wide=slope * self.wide, intercept=slope * self.intercept + intercept
        )

    def after(self, deep: tuple[float, float]) -> "Mix":
        """Mix margins of the deep half to which slope and intercept are yet to be applied."""
        slope, intercept = deep
        return Mix(deep=self.deep * slope, wide=self.wide, intercept=self.intercept + self.deep * intercept)


def rows(vocabulary: int) -> int:
    """How many rows the tables have: one a piece, then those that pairs share."""
    return 2 * vocabulary + PAIR_CODES


def pair_codes(vocabulary: int) -> NDArray[np.int32]:
    """Return a code by piece: the pair (a, b) has the row vocabulary + code[a] + b."""
    return (np.arange(vocabulary, dtype=np.int64) * _MULTIPLIER % PAIR_CODES).astype(np.int32)


def fit(
    ids: Sequence[Sequence[int]],
    *,
    labels: Sequence[int],
    weights: Sequence[float],
    vocabulary: int,
    seed: int,
) -> Wide:
    """Fit to tokenized texts, padding left out; `weights` say how much each counts. Takes seconds."""
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression

    presence = _presence(ids, vocabulary=vocabulary)
    texts = np.asarray(presence.sum(axis=0)).ravel()
    rarity = np.where(texts >= _SEEN_IN, np.log((1 + len(ids)) / (1 + texts)) + 1, 0.0)
    lengths = np.sqrt(np.maximum(presence @ rarity**2, 1.0))
    model = LogisticRegression(
        C=_REGULARISATION, max_iter=1000, class_weight="balanced", random_state=seed
    ).fit(sparse.diags(1 / lengths) @ presence @ sparse.diags(rarity), labels, sample_weight=weights)
    return Wide(weights=model.coef_[0] * rarity, squares=rarity**2, bias=float(model.intercept_[0]))


def _presence(ids: Sequence[Sequence[int]], *, vocabulary: int) -> Any:
    """Which pieces and pairs each text holds: a sparse matrix of ones, (n_texts, rows)."""
    from scipy import sparse

    codes = pair_codes(vocabulary)
    by_text = [_rows_of(np.asarray(pieces, dtype=np.int64), codes=codes) for pieces in ids]
    ends = np.cumsum([0, *map(len, by_text)])
    columns = np.concatenate([*by_text, np.empty(0, dtype=np.int64)])
    return sparse.csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(ids), rows(vocabulary)))


def _rows_of(pieces: NDArray[np.int64], *, codes: NDArray[np.int32]) -> NDArray[np.int64]:
    pairs = len(codes) + codes[pieces[:-1]] + pieces[1:]
    return np.unique(np.concatenate([pieces, pairs]))
