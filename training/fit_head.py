"""Fit a platform's head: a linear model over content margin, vector and n-grams, the shared model as prior.

Logistic regression in its dual form: a few hundred decisions against 66,000 numbers, in about a second.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, diags_array
from sklearn.model_selection import GroupKFold

from scoring.ensemble import probabilities_of
from scoring.ngrams import BUCKETS
from scoring.platform_head import PlatformHead, grams_of
from scoring.trees import Floats

MOST_DECISIONS = 3_000
"""Older ones are left out: the fit is quadratic in their number, and spam changes."""
_FOLDS = 5
# Penalties, all in the scale of a decision of weight 1.
_WEIGHTS = 0.05
_LEAST_SPREAD = 1e-3
"""Least spread of a number of the vector: one that hardly varies says nothing."""
# Almost no intercept: n-grams common to all texts would take its role and distort the ranking.
_SHIFT = 0.001
# Prior: the content margin as it is, with slope 1 ± 0.5 and shift 0 ± 2.
_SLOPE_AT_WORD, _SHIFT_AT_WORD = 4.0, 0.25
# After the slope is chosen, vector and n-grams explain the rest; they may hardly change it.
_SLOPE_HELD = 50.0
# A slope near 0 means that a head learned nothing (NoGain); the prior bounds the shift.
_MEANING_WITHIN = ((0.2, 5.0), (-8.0, 8.0))
# Standard errors below the best slope: if decisions contradict the content model, it is noise.
_DOUBT = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line through log-odds."""

    slope: float
    shift: float

    def through(self, log_odds: Floats) -> Floats:
        """Return log-odds (n,) sent through the line."""
        return self.slope * log_odds + self.shift

    def moved(self, head: PlatformHead) -> PlatformHead:
        """Return a head of which the margins are sent through the line."""
        return PlatformHead(
            weights=np.asarray(self.slope * head.weights, dtype=np.float32),
            content_slope=self.slope * head.content_slope,
            intercept=self.slope * head.intercept + self.shift,
            vector=np.asarray(self.slope * head.vector, dtype=np.float32),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Decided texts of a platform as arrays of one length; `vectors` are float64 (n, width).

    `is_reported` marks those that did not come by chance, more often spam.

    Such rows show what spam looks like, not how frequent it is: they have their own intercept, which is
    discarded.
    """

    grams: csr_matrix
    vectors: Floats
    content_margins: Floats
    is_spam: NDArray[np.bool_]
    weights: Floats
    groups: NDArray[Any]
    is_reported: NDArray[np.bool_]

    def taken(self, chosen: NDArray[Any]) -> "Decisions":
        """Return the chosen rows, by mask or by index."""
        return Decisions(**{name: getattr(self, name)[chosen] for name in Decisions.__slots__})


def grams_matrix(texts: list[str]) -> csr_matrix:
    """Return the n-grams of texts as a sparse matrix, float64 (n, BUCKETS)."""
    rows = [grams_of(text) for text in texts]
    ends = np.cumsum([0, *(len(buckets) for buckets, _ in rows)])
    buckets = np.concatenate([buckets for buckets, _ in rows])
    values = np.concatenate([values for _, values in rows])
    return csr_matrix((values, buckets, ends), shape=(len(rows), BUCKETS))


def fit(decisions: Decisions) -> PlatformHead:
    """Fit a head. Its weights are stored as float32, half the precision of the fit.

    Vectors are standardised to a mean squared length of 1, n-grams have one of 2: what a text says and the
    words it uses weigh about alike.
    """
    slope = content_slope(decisions)
    scales = rarities(decisions.grams)
    grams = decisions.grams @ diags_array(scales)
    centre, spread = _standard(decisions.vectors)
    vectors = (decisions.vectors - centre) / spread
    kernel = (grams @ grams.T).toarray() + vectors @ vectors.T
    signs = 2.0 * decisions.is_spam - 1.0
    reported = decisions.is_reported.astype(np.float64)
    rows = len(signs)

    def cost(point: Floats) -> tuple[float, Floats]:
        duals, moved, shift, shift_reported = point[:rows], point[rows], point[rows + 1], point[rows + 2]
        of_text = kernel @ duals
        margins = of_text + (slope + moved) * decisions.content_margins + shift + shift_reported * reported
        # The derivative of the loss by the margins; logaddexp below does not overflow where exp would.
        slack = -signs * decisions.weights * probabilities_of(-signs * margins)
        loss = float((decisions.weights * np.logaddexp(0.0, -signs * margins)).sum())
        penalty = _WEIGHTS * (duals @ of_text) + _SLOPE_HELD * moved**2 + _SHIFT * shift**2
        gradient = np.concatenate(
            [
                kernel @ slack + _WEIGHTS * of_text,
                [
                    slack @ decisions.content_margins + _SLOPE_HELD * moved,
                    slack.sum() + _SHIFT * shift,
                    slack @ reported,
                ],
            ]
        )
        return loss + 0.5 * penalty, gradient

    point = minimize(cost, np.zeros(rows + 3), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    sense = (vectors.T @ point[:rows]) / spread
    return PlatformHead(
        weights=np.asarray(scales * (grams.T @ point[:rows]), dtype=np.float32),
        content_slope=float(slope + point[rows]),
        intercept=float(point[rows + 1] - centre @ sense),
        vector=np.asarray(sense, dtype=np.float32),
    )


def _standard(vectors: Floats) -> tuple[Floats, Floats]:
    """Return the centre of vectors and how far each number spreads around it, both float64 (width,)."""
    centre, spread = vectors.mean(axis=0), vectors.std(axis=0) + _LEAST_SPREAD
    length = np.sqrt((((vectors - centre) / spread) ** 2).sum(axis=1).mean())
    return centre, spread * max(float(length), _LEAST_SPREAD)


def rarities(grams: csr_matrix) -> Floats:
    """Return how much each bucket's n-grams count in a fit, float64 (BUCKETS,): inverse document frequency,
    scaled so that texts are as long as before on average; 0 for what occurs in no text.

    An n-gram in half of all texts says little about one. The scale is folded into the fitted weights.
    """
    texts, counts = grams.shape[0], np.bincount(grams.indices, minlength=BUCKETS)
    rarity = np.where(counts > 0, np.log((1.0 + texts) / (1.0 + counts)) + 1.0, 0.0)
    squares = np.bincount(grams.indices, weights=grams.data**2, minlength=BUCKETS)
    scaled: Floats = rarity * np.sqrt(squares.sum() / max(float(squares @ rarity**2), 1e-9))
    return scaled


def margins(head: PlatformHead, decisions: Decisions) -> Floats:
    """Return a head's margins of texts, log-odds (n,)."""
    of_grams = decisions.grams @ head.weights.astype(np.float64)
    of_vectors = decisions.vectors @ head.vector.astype(np.float64)
    totals: Floats = of_grams + of_vectors + head.content_slope * decisions.content_margins + head.intercept
    return totals


@dataclass(frozen=True, kw_only=True)
class Calibrated:
    """A calibrated head, and each text's margin (n,) by one that was neither fitted nor calibrated to its
    group.
    """

    head: PlatformHead
    left_out: Floats


def calibrated(decisions: Decisions) -> Calibrated:
    """Fit a head and send its margins through a line fitted to those of groups left out.

    A fit to few texts is unsure of all others: its raw margins are too small by half, and shifted where spam
    is rare.
    """
    raw_margins = left_out_margins(decisions)
    left_out = np.empty(len(raw_margins))
    for train, test in _folds(decisions):
        left_out[test] = _meaning(raw_margins[train], decisions.taken(train)).through(raw_margins[test])
    means = _meaning(raw_margins, decisions)
    return Calibrated(head=means.moved(fit(decisions)), left_out=left_out)


def left_out_margins(decisions: Decisions) -> Floats:
    """Return each text's margin by a head that was fitted without its group."""
    raw_margins = np.empty(len(decisions.is_spam))
    for train, test in _folds(decisions):
        raw_margins[test] = margins(fit(decisions.taken(train)), decisions.taken(test))
    return raw_margins


def _folds(decisions: Decisions) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    splitter = GroupKFold(n_splits=min(_FOLDS, len(set(decisions.groups))))
    yield from splitter.split(decisions.is_spam, groups=decisions.groups)


def _meaning(said: Floats, decisions: Decisions) -> Line:
    """Fit the line from margins to log-odds; reported rows say nothing about the share of spam."""
    weights = np.where(decisions.is_reported, 0.0, decisions.weights)
    return line(said, is_spam=decisions.is_spam, weights=weights, within=_MEANING_WITHIN)


def content_slope(decisions: Decisions) -> float:
    """Return how far the content margin can be trusted here, in [0, 1], apart from the rest.

    1 where decisions agree with it or are too few to contradict it, 0 where it is noise, as in a script that
    the model does not read.
    """
    inputs = decisions.content_margins
    best = line(inputs, is_spam=decisions.is_spam, weights=decisions.weights)
    answers = probabilities_of(best.through(inputs))
    information = float((decisions.weights * answers * (1.0 - answers) * inputs**2).sum()) + _SLOPE_AT_WORD
    return float(np.clip(best.slope - _DOUBT / np.sqrt(information), 0.0, 1.0))


def line(
    log_odds: Floats,
    *,
    is_spam: NDArray[np.bool_],
    weights: Floats,
    within: tuple[tuple[float, float], tuple[float, float]] | None = None,
) -> Line:
    """Fit slope and shift to decisions; without any, the log-odds are unchanged.

    `within` bounds the slope and the shift, lowest and highest of each.
    """
    signs = 2.0 * is_spam - 1.0

    def cost(found: Floats) -> tuple[float, Floats]:
        slope, shift = found
        margins_here = slope * log_odds + shift
        slack = -signs * weights * probabilities_of(-signs * margins_here)
        loss = float((weights * np.logaddexp(0.0, -signs * margins_here)).sum())
        penalty = _SLOPE_AT_WORD * (slope - 1.0) ** 2 + _SHIFT_AT_WORD * shift**2
        return loss + 0.5 * penalty, np.array(
            [slack @ log_odds + _SLOPE_AT_WORD * (slope - 1.0), slack.sum() + _SHIFT_AT_WORD * shift]
        )

    slope, shift = minimize(cost, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=within).x
    return Line(slope=float(slope), shift=float(shift))
