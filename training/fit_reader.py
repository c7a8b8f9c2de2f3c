"""Fit the reader of evidence: a linear model over the content model's margin and vector, calibrated on
families left out.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold

from scoring.content import ContentScore, vectors_of
from scoring.ensemble import content_margins
from scoring.platform_head import PlatformHead
from scoring.trees import Floats
from training import fit_head
from training.worded_texts import Texts

SPAM_SHARE = 0.2
"""Share of spam by weight, whatever share of the texts was simulated."""
_FOLDS = 6
_ITERATIONS = 1_000
_MARGIN = 5.0
"""A margin that costs the fit as much as a vector, which is of length 1."""
_MEANING_WITHIN = ((0.2, 8.0), (-8.0, 8.0))


@dataclass(frozen=True, kw_only=True)
class Readers:
    """The reader that ships, and those fitted without some families, for cross-fitting."""

    whole: PlatformHead
    folds: Sequence[PlatformHead]
    fold_of: Mapping[str, int]

    def unaware_of(self, families: Collection[str]) -> PlatformHead | None:
        """Return a reader that has learnt none of these families; None if each has learnt one of them."""
        folds = {self.fold_of[name] for name in families if name in self.fold_of}
        if not folds:
            return self.whole
        return self.folds[folds.pop()] if len(folds) == 1 else None


def fit(texts: Texts, *, scores: Sequence[ContentScore], seed: int) -> Readers:
    """Fit the reader and its cross-fitted versions on texts and the content model's scores of them."""
    own = content_margins(np.array([score.probability for score in scores]))
    inputs = np.column_stack([vectors_of(scores), own / _MARGIN])
    weights = balanced(texts.is_spam, weights=texts.weights)
    fold_of_text = _folds(texts, seed=seed)
    numbers = sorted(set(fold_of_text.tolist()))
    raw = [_fitted(inputs, texts, weights=weights, chosen=fold_of_text != number) for number in numbers]
    margins = np.empty(len(texts.texts))
    for number, head in zip(numbers, raw, strict=True):
        out = fold_of_text == number
        margins[out] = inputs[out] @ [*head.vector, head.content_slope * _MARGIN] + head.intercept
    folds = []
    for number, head in zip(numbers, raw, strict=True):
        others = fold_of_text != number
        means = _meaning(margins[others], is_spam=texts.is_spam[others], weights=weights[others])
        folds.append(means.moved(head))
    whole = _fitted(inputs, texts, weights=weights, chosen=np.ones(len(margins), dtype=np.bool_))
    return Readers(
        whole=_meaning(margins, is_spam=texts.is_spam, weights=weights).moved(whole),
        folds=folds,
        fold_of=dict(zip(texts.families.tolist(), fold_of_text.tolist(), strict=True)),
    )


def balanced(is_spam: NDArray[np.bool_], *, weights: Floats, share: float = SPAM_SHARE) -> Floats:
    """Return weights of which spam has this share."""
    before = float(weights[is_spam].sum() / weights.sum())
    weighed: Floats = weights * np.where(is_spam, share / before, (1.0 - share) / (1.0 - before))
    return weighed


def _folds(texts: Texts, *, seed: int) -> NDArray[np.intp]:
    """Return the fold of each text: families stay together, and every fold has both sorts."""
    folds = np.zeros(len(texts.texts), dtype=np.intp)
    splitter = StratifiedGroupKFold(n_splits=_FOLDS, shuffle=True, random_state=seed)
    for number, (_, out) in enumerate(splitter.split(folds, texts.is_spam, texts.families)):
        folds[out] = number
    return folds


def _fitted(inputs: Floats, texts: Texts, *, weights: Floats, chosen: NDArray[np.bool_]) -> PlatformHead:
    model = LogisticRegression(max_iter=_ITERATIONS)
    model.fit(inputs[chosen], texts.is_spam[chosen], sample_weight=weights[chosen] / weights.mean())
    *vector, slope = model.coef_[0].tolist()
    return PlatformHead(
        content_slope=slope / _MARGIN,
        intercept=float(model.intercept_[0]),
        vector=np.array(vector, dtype=np.float32),
    )


def _meaning(said: Floats, *, is_spam: NDArray[np.bool_], weights: Floats) -> fit_head.Line:
    return fit_head.line(said, is_spam=is_spam, weights=weights, within=_MEANING_WITHIN)
