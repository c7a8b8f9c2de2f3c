"""Fit the whole stack: sub-models, then the main tree on what they say of records they were not fitted on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from scoring import features
from scoring.ensemble import MAIN_INPUTS, SUB_MODELS, Ensemble, content_margins
from scoring.training.ensemble_rows import Rows
from scoring.training.fit_forests import fit_classifier, fit_on_top
from scoring.trees import Floats, Forest

_FOLDS = 5
# A tree fitted only where content is known would be lost when Triton is down.
_CONTENT_MASKED = 0.15
# The line through content trusts it at most at its own word, and never ignores it.
_SLOPE_RANGE = (0.1, 1.0)


def fit(rows: Rows, *, seed: int) -> Ensemble:
    """Fit an ensemble; every random choice follows from `seed`."""
    sub_models = {name: sub_model(rows, name=name, seed=seed) for name in SUB_MODELS}
    left_out = np.column_stack([left_out_margins(rows, name=name, seed=seed) for name in SUB_MODELS])
    content = content_margins(_masked(rows.content_probabilities, seed=seed))
    main_inputs = np.column_stack([left_out, content])
    slope, centre, constant = _content_line(main_inputs, is_spam=rows.is_spam, weights=rows.weights)
    line = constant + slope * np.where(np.isnan(content), 0.0, content - centre)
    main = fit_on_top(
        main_inputs, is_spam=rows.is_spam, weights=rows.weights, inputs=MAIN_INPUTS, start=line, seed=seed
    )
    return Ensemble(
        features=features.NAMES,
        sub_models=sub_models,
        main=Forest(inputs=main.inputs, base=main.base + constant, trees=main.trees),
        content_slope=slope,
        content_centre=centre,
    )


def sub_model(rows: Rows, *, name: str, seed: int) -> Forest:
    """Fit a sub-model on the features that are ever known; scikit-learn refuses an empty column."""
    known = np.logical_not(np.isnan(rows.features).all(axis=0))
    inputs = tuple(feature for feature in features.FAMILIES[name] if known[features.NAMES.index(feature)])
    forest, _ = fit_classifier(
        _columns(rows, inputs), is_spam=rows.is_spam, weights=rows.weights, inputs=inputs, seed=seed
    )
    return forest


def left_out_margins(rows: Rows, *, name: str, seed: int) -> Floats:
    """Return each row's margin by a sub-model that was fitted without the row's group.

    For ip_url without its domain: the same few honest sites return in many groups, and a model that knows
    them by heart looks better than it is on the next site.
    """
    groups = rows.domains if name == "ip_url" else rows.groups
    margins = np.empty(len(rows.is_spam))
    for kept, left_out in GroupKFold(n_splits=_FOLDS).split(rows.features, groups=groups):
        forest = sub_model(rows.taken(kept), name=name, seed=seed)
        margins[left_out] = forest.margins(_columns(rows.taken(left_out), forest.inputs))
    return margins


def _columns(rows: Rows, inputs: tuple[str, ...]) -> Floats:
    return rows.features[:, [features.NAMES.index(name) for name in inputs]]


def _masked(probabilities: Floats, *, seed: int) -> Floats:
    masked = np.random.default_rng(seed).random(len(probabilities)) < _CONTENT_MASKED
    return np.where(masked, np.nan, probabilities)


def _content_line(
    main_inputs: Floats, *, is_spam: NDArray[np.bool_], weights: Floats
) -> tuple[float, float, float]:
    """Return slope and centre of the line through the content margin, and the log-odds where it crosses zero.

    The slope comes from a logistic regression beside the sub-models' margins, so it is what the text adds to
    them.
    """
    known = ~np.isnan(main_inputs[:, -1])
    centre = float(np.average(main_inputs[known, -1], weights=weights[known])) if known.any() else 0.0
    share = float(np.average(is_spam, weights=weights))
    constant = float(np.log(share / (1.0 - share)))
    if not known.any():
        return _SLOPE_RANGE[0], centre, constant
    model = LogisticRegression(C=1.0, max_iter=1000).fit(
        main_inputs[known], is_spam[known], sample_weight=weights[known]
    )
    slope = float(np.clip(model.coef_[0, -1], *_SLOPE_RANGE))
    return slope, centre, constant
