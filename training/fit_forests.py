"""Fit forests with scikit-learn and turn them into plain arrays; scikit-learn is needed here only, never to
score.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from scoring.ensemble import probabilities_of
from scoring.features import FEATURES, Evidence, names_of
from scoring.trees import LEAF, Floats, Forest, Tree

# Three rules for directions, held by tests over the whole stack
# (docs/adr/0019-circumstances-do-not-excuse.md):
# - Confirmed spam, reliable complaints and URL patterns never lower the score.
# - What grows when the same is posted again (copies, links, posts, authors) never excuses.
# - Honest posts confirmed by people never raise the score.
_DIRECTIONS: Mapping[str, int] = {feature.name: feature.direction for feature in FEATURES}
# Waiting makes days and known posts larger, so they could only excuse. Friends alone point one way for silent
# accounts that were bought and the other way for those that post. Every post begins without shares and
# comments, most end so, a second account makes them.
NOT_LEARNT = frozenset(names_of(Evidence.SHOWN))

_SUB_MODEL: Mapping[str, Any] = {
    "max_iter": 100,
    "learning_rate": 0.08,
    "max_leaf_nodes": 10,
    "max_depth": 5,
    "min_samples_leaf": 40,
    "l2_regularization": 1.0,
    "early_stopping": False,
}
_MAIN: Mapping[str, Any] = {
    "max_iter": 1,
    "learning_rate": 0.1,
    "max_leaf_nodes": 8,
    "max_depth": 4,
    "min_samples_leaf": 40,
    "l2_regularization": 1.0,
    "early_stopping": False,
}
_MAIN_ROUNDS = 80


def fit_classifier(
    rows: Floats, *, is_spam: NDArray[np.bool_], weights: Floats, inputs: tuple[str, ...], seed: int
) -> tuple[Forest, HistGradientBoostingClassifier]:
    """Fit a boosted forest to rows (n, n_inputs) by log loss; returns it as arrays, and the model it was read
    from.
    """
    model = HistGradientBoostingClassifier(
        **_SUB_MODEL, monotonic_cst=[_DIRECTIONS.get(name, 0) for name in inputs], random_state=seed
    )
    model.fit(rows, is_spam, sample_weight=weights)
    return forest_of(model, inputs=inputs), model


def fit_on_top(
    rows: Floats,
    *,
    is_spam: NDArray[np.bool_],
    weights: Floats,
    inputs: tuple[str, ...],
    start: Floats,
    seed: int,
) -> Forest:
    """Fit a forest that adds to given margins: Newton boosting, which scikit-learn offers only from a
    constant.

    `start` holds each row's log-odds before the first tree. The forest never falls in any input. Each round
    fits one regression tree to the Newton step (Friedman, Hastie, Tibshirani, Additive logistic regression,
    2000, §5).
    """
    margins = start.copy()
    base = 0.0
    trees: list[Tree] = []
    for round_number in range(_MAIN_ROUNDS):
        probabilities = probabilities_of(margins)
        # Bounded: where a row is as good as certain, the Newton step would divide by 0.
        curvature = np.maximum(probabilities * (1.0 - probabilities), 1e-6)
        step = HistGradientBoostingRegressor(
            **_MAIN, monotonic_cst=[1] * len(inputs), random_state=seed + round_number
        )
        step.fit(rows, (is_spam - probabilities) / curvature, sample_weight=weights * curvature)
        forest = forest_of(step, inputs=inputs)
        # scikit-learn shrinks trees by the learning rate but not the constant.
        constant = _MAIN["learning_rate"] * forest.base
        base += constant
        trees.extend(forest.trees)
        margins += constant + Forest(inputs=inputs, base=0.0, trees=forest.trees).margins(rows)
    return Forest(inputs=inputs, base=base, trees=tuple(trees))


def forest_of(
    model: HistGradientBoostingClassifier | HistGradientBoostingRegressor, *, inputs: tuple[str, ...]
) -> Forest:
    """Copy a fitted model's trees; NaN goes where it went in training. Raises ValueError for categorical
    splits.
    """
    # Private attributes: scikit-learn exposes the trees nowhere else; a test compares the predictions.
    base = float(np.ravel(model._baseline_prediction)[0])  # noqa: SLF001
    trees = tuple(_tree_of(stage[0].nodes) for stage in model._predictors)  # noqa: SLF001
    return Forest(inputs=inputs, base=base, trees=trees)


def _tree_of(nodes: NDArray[Any]) -> Tree:
    if nodes["is_categorical"].any():
        raise ValueError("categorical splits are not supported")
    is_leaf = nodes["is_leaf"].astype(bool)
    left = np.where(is_leaf, LEAF, nodes["left"].astype(np.int64)).astype(np.int32)
    right = np.where(is_leaf, LEAF, nodes["right"].astype(np.int64)).astype(np.int32)
    # "Known against unknown" is a split at infinity, which JSON cannot hold; the largest float does as well.
    threshold = np.minimum(np.where(is_leaf, 0.0, nodes["num_threshold"]), np.finfo(np.float64).max)
    return Tree(
        left=left,
        right=right,
        missing=np.where(nodes["missing_go_to_left"].astype(bool), left, right).astype(np.int32),
        input=np.where(is_leaf, LEAF, nodes["feature_idx"]).astype(np.int32),
        threshold=threshold.astype(np.float64),
        value=np.where(is_leaf, nodes["value"], 0.0).astype(np.float64),
        cover=nodes["count"].astype(np.float64),
    )
