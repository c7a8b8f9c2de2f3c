"""Rank measures, against scikit-learn and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulation import rank_measures


@pytest.mark.parametrize("decimals", [1, 6], ids=["many ties", "no ties"])
def test_agree_with_scikit_learn(decimals: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    chances = np.random.default_rng(5)
    truths = chances.random(400) < 0.3
    scores = np.round(chances.random(400) + 0.4 * truths, decimals).astype(np.float64)

    assert rank_measures.roc_auc(truths=truths, probabilities=scores) == pytest.approx(
        metrics.roc_auc_score(truths, scores)
    )
    assert rank_measures.average_precision(truths=truths, probabilities=scores) == pytest.approx(
        metrics.average_precision_score(truths, scores)
    )


@pytest.mark.parametrize(
    ("truths", "scores", "auc"),
    [
        ([True, False], [0.9, 0.1], 1.0),
        ([True, False], [0.1, 0.9], 0.0),
        ([True, False], [0.5, 0.5], 0.5),
        ([True, False, False], [0.5, 0.4, 0.6], 0.5),
    ],
)
def test_roc_auc_by_hand(truths: list[bool], scores: list[float], auc: float) -> None:
    assert rank_measures.roc_auc(truths=truths, probabilities=scores) == auc


def test_are_unknown_without_both_classes() -> None:
    assert math.isnan(rank_measures.roc_auc(truths=[True], probabilities=[0.5]))
    assert math.isnan(rank_measures.average_precision(truths=[False], probabilities=[0.5]))
