"""Quality of spam probabilities on labelled examples: F1, ROC-AUC, PR-AUC with group-bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training import compare, promise
from training.dataset import Example

Floats = NDArray[np.float64]
RESAMPLES = 500


@dataclass(frozen=True)
class Estimate:
    """A figure and its 95 % interval; NaN where a part holds one class only."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Quality:
    """How well probabilities separate spam on `rows` examples; F1, precision and recall at `threshold`."""

    source: str
    rows: int
    spam: int
    threshold: float
    f1: Estimate
    roc_auc: Estimate
    pr_auc: Estimate
    precision: float
    recall: float
    calibration_error: float


def by_source(
    examples: Sequence[Example], *, probabilities: Floats, threshold: float, seed: int
) -> list[Quality]:
    """Measure each source alone, then all of them as source `all`."""
    sources = sorted({example.source for example in examples})
    rows_by_name = {
        name: [row for row, example in enumerate(examples) if example.source == name] for name in sources
    }
    rows_by_name["all"] = list(range(len(examples)))
    return [
        _quality(
            [examples[row] for row in rows],
            source=name,
            probabilities=probabilities[rows],
            threshold=threshold,
            seed=seed,
        )
        for name, rows in rows_by_name.items()
    ]


def f1(labels: Floats, verdicts: NDArray[np.bool_]) -> float:
    """Return the harmonic mean of precision and recall; 0 where nothing is caught."""
    return float(2 * labels[verdicts].sum() / max(verdicts.sum() + labels.sum(), 1))


def roc_auc(labels: Floats, probabilities: Floats) -> float:
    """Return the chance that spam ranks above another text, ties half; NaN without both classes."""
    return promise.roc_auc(labels == 1, probabilities)


def pr_auc(labels: Floats, probabilities: Floats) -> float:
    """Return the average precision; NaN without both classes."""
    return compare.pr_auc(labels, probabilities, np.ones(len(labels)))


def calibration_error(labels: Floats, probabilities: Floats) -> float:
    """Expected calibration error in ten equal bins (Guo et al., On Calibration of Neural Networks, 2017)."""
    return compare.calibration_error(labels, probabilities, np.ones(len(labels)))


def group_draws(groups: Sequence[str], *, seed: int) -> list[NDArray[np.intp]]:
    """Return the rows of each resample of whole groups."""
    return promise.group_draws(groups, seed=seed, resamples=RESAMPLES)


def _quality(
    examples: Sequence[Example], *, source: str, probabilities: Floats, threshold: float, seed: int
) -> Quality:
    labels = np.array([example.label for example in examples], dtype=np.float64)
    # Not sklearn's metrics: their argument checks take longer than the computation, 500 times per bootstrap.
    draws = group_draws([example.group for example in examples], seed=seed)

    def estimate(metric: Callable[[Floats, Floats], float]) -> Estimate:
        low, high = promise.interval([metric(labels[rows], probabilities[rows]) for rows in draws])
        return Estimate(value=metric(labels, probabilities), low=low, high=high)

    verdicts = probabilities >= threshold
    return Quality(
        source=source,
        rows=len(examples),
        spam=int(labels.sum()),
        threshold=threshold,
        f1=estimate(lambda truth, score: f1(truth, score >= threshold)),
        roc_auc=estimate(roc_auc),
        pr_auc=estimate(pr_auc),
        precision=float(labels[verdicts].sum() / max(verdicts.sum(), 1)),
        recall=float(labels[verdicts].sum() / max(labels.sum(), 1)),
        calibration_error=calibration_error(labels, probabilities),
    )
