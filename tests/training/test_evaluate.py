"""Metrics with intervals over groups."""

from __future__ import annotations

import math

import numpy as np
import pytest

from training import evaluate
from training.dataset import Example

pytest.importorskip("sklearn", reason="scikit-learn is in the train group")


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "RESAMPLES", 60)


def example(number: int, *, label: int, source: str = "forum", group: str = "") -> Example:
    return Example(id=str(number), source=source, text="x", label=label, group=group or str(number))


def test_measures_each_source_and_all() -> None:
    examples = [example(number, label=number % 2, source="ab"[number >= 20]) for number in range(40)]
    probabilities = np.array([0.9 * item.label + 0.05 for item in examples])
    probabilities[:4] = 0.5

    alpha, beta, together = evaluate.by_source(examples, probabilities=probabilities, threshold=0.6, seed=1)

    assert (alpha.source, beta.source, together.source) == ("a", "b", "all")
    assert (alpha.rows, alpha.spam, together.rows) == (20, 10, 40)
    assert beta.f1.value == beta.roc_auc.value == beta.pr_auc.value == 1.0
    assert alpha.recall == pytest.approx(0.8)
    assert alpha.precision == 1.0
    assert alpha.f1.low < alpha.f1.value < alpha.f1.high


def test_one_class_has_no_roc_auc() -> None:
    (only, _) = evaluate.by_source(
        [example(1, label=0)], probabilities=np.array([0.2]), threshold=0.5, seed=1
    )

    assert math.isnan(only.roc_auc.value)
    assert math.isnan(only.pr_auc.low)


def test_copies_of_one_text_do_not_narrow_the_interval() -> None:
    alone = [example(number, label=number % 2) for number in range(20)]
    random = np.random.default_rng(3).random(20)
    copies = [
        example(100 * copy + number, label=number % 2, group=str(number))
        for copy in range(10)
        for number in range(20)
    ]

    (_, few) = evaluate.by_source(alone, probabilities=random, threshold=0.5, seed=1)
    (_, many) = evaluate.by_source(copies, probabilities=np.tile(random, 10), threshold=0.5, seed=1)

    assert many.roc_auc.high - many.roc_auc.low == pytest.approx(few.roc_auc.high - few.roc_auc.low, abs=0.15)
