"""What the content model's card says beyond ranking: calibration, its peer on validation, and disguise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.normalise import normalise
from scoring.training import evaluate
from scoring.training.attacks import ATTACKS, attacked
from scoring.training.dataset import Example, Split
from scoring.training.evaluate import Floats

_CERTAIN = 1e-9
SMALL = 100


@dataclass(frozen=True)
class Comparison:
    """How well one model does on the validation part, where models are chosen; log loss in nats."""

    pr_auc: float
    log_loss: float


@dataclass(frozen=True)
class Robustness:
    """Recall on the test part's spam under one attack ("none": the texts as they are), and if the
    model read the raw text.
    """

    attack: str
    texts: int
    recall: float
    recall_without_normaliser: float


def platt(labels: Floats, probabilities: Floats, *, sources: Sequence[str]) -> tuple[float, float]:
    """Fit sigmoid(slope * margin + intercept) to labels (Platt 1999); return slope and intercept.

    Every source counts the same, however many texts it has: no platform has our files' mixture. Only one
    of fewer than SMALL texts counts less.
    """
    from sklearn.linear_model import LogisticRegression

    sizes = Counter(sources)
    weights = np.array([1 / max(sizes[source], SMALL) for source in sources])
    weights *= len(labels) / weights.sum()
    fitted = LogisticRegression(C=1e6).fit(_margins(probabilities)[:, None], labels, sample_weight=weights)
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])


def calibrated(answers: Mapping[Split, Floats], *, by: tuple[float, float]) -> dict[Split, Floats]:
    """Send probabilities through Platt's sigmoid."""
    slope, intercept = by
    return {
        split: np.asarray(1 / (1 + np.exp(-(slope * _margins(found) + intercept))), dtype=np.float64)
        for split, found in answers.items()
    }


def comparison(labels: Floats, probabilities: Floats) -> Comparison:
    """Measure a model on the validation part."""
    from sklearn.metrics import log_loss

    return Comparison(
        pr_auc=evaluate.pr_auc(labels, probabilities),
        log_loss=float(log_loss(labels, probabilities, labels=[0.0, 1.0])),
    )


def robustness(
    examples: Sequence[Example], *, answer: Callable[[list[str]], Floats], threshold: float, seed: int
) -> list[Robustness]:
    """Attack every spam text of raw examples; the first result is without attack."""
    spam = [example.text for example in examples if example.label]

    def measured(name: str, texts: Sequence[str]) -> Robustness:
        read = answer([normalise(text).text for text in texts])
        raw = answer(list(texts))
        return Robustness(
            attack=name,
            texts=len(texts),
            recall=float((read >= threshold).mean()),
            recall_without_normaliser=float((raw >= threshold).mean()),
        )

    if not spam:
        return []
    return [
        measured("none", spam),
        *(
            measured(name, [attacked(text, attack=name, seed=seed) for text in spam])
            for name in sorted(ATTACKS)
        ),
    ]


def _margins(probabilities: Floats) -> Floats:
    bounded = np.clip(probabilities, _CERTAIN, 1 - _CERTAIN)
    return np.asarray(np.log(bounded / (1 - bounded)), dtype=np.float64)
