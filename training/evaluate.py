"""Quality of spam probabilities on labelled examples: F1, ROC-AUC, PR-AUC with group-bootstrap intervals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training import compare, promise
from training.dataset import Example

Floats = NDArray[np.float64]
RESAMPLES = 500
THRESHOLD = 0.5
"""A text is called spam from here on: answers are calibrated."""


@dataclass(frozen=True)
class Estimate:
    """A figure and its 95 % interval; NaN where a part holds one class only."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Quality:
    """How well probabilities separate spam on `rows` examples; F1, precision and recall at THRESHOLD."""

    source: str
    rows: int
    spam: int
    f1: Estimate
    roc_auc: Estimate
    pr_auc: Estimate
    precision: float
    recall: float
    calibration_error: float


def by_source(examples: Sequence[Example], *, probabilities: Floats, seed: int) -> list[Quality]:
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
            seed=seed,
        )
        for name, rows in rows_by_name.items()
    ]


def f1(labels: Floats, probabilities: Floats) -> float:
    """Return the harmonic mean of precision and recall; 0 where nothing is caught."""
    verdicts = probabilities >= THRESHOLD
    return float(2 * labels[verdicts].sum() / max(verdicts.sum() + labels.sum(), 1))


METRICS: dict[str, Callable[[Floats, Floats], float]] = {"ROC-AUC": promise.roc_auc, "F1": f1}


def _quality(examples: Sequence[Example], *, source: str, probabilities: Floats, seed: int) -> Quality:
    labels = np.array([example.label for example in examples], dtype=np.float64)
    # Not sklearn's metrics: their argument checks take longer than the computation, 500 times per bootstrap.
    groups = [example.group for example in examples]
    draws = promise.group_draws(groups, seed=seed, resamples=RESAMPLES)

    def estimate(metric: Callable[[Floats, Floats], float]) -> Estimate:
        low, high = promise.interval([metric(labels[rows], probabilities[rows]) for rows in draws])
        return Estimate(value=metric(labels, probabilities), low=low, high=high)

    verdicts = probabilities >= THRESHOLD
    return Quality(
        source=source,
        rows=len(examples),
        spam=int(labels.sum()),
        f1=estimate(f1),
        roc_auc=estimate(promise.roc_auc),
        pr_auc=estimate(compare.pr_auc),
        precision=float(labels[verdicts].sum() / max(verdicts.sum(), 1)),
        recall=float(labels[verdicts].sum() / max(labels.sum(), 1)),
        calibration_error=compare.calibration_error(labels, probabilities),
    )
