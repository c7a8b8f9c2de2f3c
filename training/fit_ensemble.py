"""Fit the whole stack: sub-models, then the main tree on their out-of-sample predictions (stacking)."""

import dataclasses

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from scoring import features
from scoring.ensemble import SUB_MODELS, Bounds, Ensemble, content_margins
from scoring.features import Models
from scoring.records import NOTHING_KNOWN
from scoring.trees import Floats, Forest
from training.ensemble_rows import Rows, joined
from training.fit_forests import NOT_LEARNT, fit_classifier, fit_on_top

BOUNDS = Bounds(excuse=0.4, earned=1.5, suspicion=0.4)
BASE_RATE = 0.03
"""Base rate used where content is unknown: between the spam share of posts and of accounts."""
REAL_WEIGHT = 1.0
"""All real texts in circumstances together count as much as this many times all records."""
_FOLDS = 5
# A tree fitted only where content is known would fail when Triton is down.
_CONTENT_MASKED = 0.15


def fit(rows: Rows, *, real: Rows | None = None, models: Models, seed: int) -> Ensemble:
    """Fit an ensemble to records, and to real texts in circumstances that know nothing of their label.

    The main tree learns what the sub-models add to content. Every random choice follows from `seed`.
    """
    lines = [_line(part, seed=seed) for part in (rows, real) if part is not None]
    whole = rows if real is None else joined([rows, _weighed(real, like=rows)])
    sub_models = {name: sub_model(whole, name=name, seed=seed) for name in SUB_MODELS}
    left_out = np.column_stack([left_out_margins(whole, name=name, seed=seed) for name in SUB_MODELS])
    main = fit_on_top(
        left_out,
        is_spam=whole.is_spam,
        weights=whole.weights,
        inputs=SUB_MODELS,
        start=np.concatenate(lines),
        seed=seed,
    )
    return Ensemble(
        features=features.NAMES,
        sub_models=sub_models,
        main=main,
        reference=features.extract(NOTHING_KNOWN, models=models),
        base_rate=float(np.log(BASE_RATE / (1.0 - BASE_RATE))),
        bounds=BOUNDS,
    )


def sub_model(rows: Rows, *, name: str, seed: int) -> Forest:
    """Fit a sub-model on the features that are ever known; scikit-learn refuses an empty column."""
    is_known = np.logical_not(np.isnan(rows.features).all(axis=0))
    inputs = tuple(
        feature
        for feature in features.SUB_MODEL_FEATURES[name]
        if is_known[features.NAMES.index(feature)] and feature not in NOT_LEARNT
    )
    forest, _ = fit_classifier(
        _columns(rows, inputs), is_spam=rows.is_spam, weights=rows.weights, inputs=inputs, seed=seed
    )
    return forest


def left_out_margins(rows: Rows, *, name: str, seed: int) -> Floats:
    """Return each row's margin by a sub-model that was fitted without the row's group.

    For ip_url without its domain: the same few honest sites return in many groups, and a model that memorised
    them looks better than it is on a new site.
    """
    groups = rows.domains if name == "ip_url" else rows.groups
    margins = np.empty(len(rows.is_spam))
    for train, left_out in GroupKFold(n_splits=_FOLDS).split(rows.features, groups=groups):
        forest = sub_model(rows.taken(train), name=name, seed=seed)
        margins[left_out] = forest.margins(_columns(rows.taken(left_out), forest.inputs))
    return margins


def _columns(rows: Rows, inputs: tuple[str, ...]) -> Floats:
    return rows.features[:, [features.NAMES.index(name) for name in inputs]]


def _weighed(real: Rows, *, like: Rows) -> Rows:
    """Give records and texts the same total weight, so that neither dominates."""
    factor = REAL_WEIGHT * like.weights.sum() / real.weights.sum()
    return dataclasses.replace(real, weights=real.weights * factor)


def _line(rows: Rows, *, seed: int) -> Floats:
    """Return each row's log-odds by content alone, calibrated on these rows; where it is unknown or masked,
    those of their base rate.

    Content is less sure on texts that are unlike those it was trained on, as simulated ones are. Uncalibrated
    it would seem to need more help there than it does.
    """
    content = content_margins(_masked(rows.content_probabilities, seed=seed))
    is_known = ~np.isnan(content)
    share = float(np.average(rows.is_spam, weights=rows.weights))
    line = np.full(len(content), np.log(share / (1.0 - share)))
    if is_known.any():
        model = LogisticRegression(C=1.0, max_iter=1000).fit(
            content[is_known, None], rows.is_spam[is_known], sample_weight=rows.weights[is_known]
        )
        line[is_known] = model.decision_function(content[is_known, None])
    return line


def _masked(probabilities: Floats, *, seed: int) -> Floats:
    masked = np.random.default_rng(seed).random(len(probabilities)) < _CONTENT_MASKED
    return np.where(masked, np.nan, probabilities)
