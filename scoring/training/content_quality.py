"""What the content model's card says beyond ranking: calibration, how its halves join, and disguise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.normalise import normalise
from scoring.training.attacks import ATTACKS, attacked
from scoring.training.cross_fit import DEEP, WIDE, HeldOut
from scoring.training.dataset import Example
from scoring.training.evaluate import Floats
from scoring.training.wide import Mix

SHIPPED = "wide_and_deep"
_CERTAIN = 1e-9
SMALL = 100


@dataclass(frozen=True)
class Calibration:
    """How held-out answers become probabilities: slope and intercept by model, and how the halves join."""

    mix: Mix
    single: Mapping[str, tuple[float, float]]

    def applied(self, answers: Mapping[str, Floats]) -> dict[str, Floats]:
        """Calibrate the models' answers to the same texts, and mix them into that of the shipped model."""
        return {
            SHIPPED: _mixed(self.mix, answers=answers),
            **{name: _sigmoid(found, by=self.single[name]) for name, found in answers.items()},
        }


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
    margins = _margins(probabilities)[:, None]
    # Platt's targets stay off 0 and 1: few texts that happen to be separable prove no certainty.
    spam = labels.sum()
    targets = np.where(labels == 1, (spam + 1) / (spam + 2), 1 / (len(labels) - spam + 2))
    fitted = LogisticRegression(C=1e6).fit(
        np.concatenate([margins, margins]),
        np.repeat([1, 0], len(labels)),
        sample_weight=np.concatenate([weights * targets, weights * (1 - targets)]),
    )
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])


def calibrate(held: HeldOut) -> Calibration:
    """Fit each model's calibration on held-out texts; the mix is the calibrated halves' mean, calibrated."""
    labels, sources = held.labels, held.sources
    single = {name: platt(labels, found, sources=sources) for name, found in held.answers.items()}
    deep, wide = single[DEEP], single[WIDE]
    mean = Mix(deep=deep[0] / 2, wide=wide[0] / 2, intercept=(deep[1] + wide[1]) / 2)
    slope, intercept = platt(labels, _mixed(mean, answers=held.answers), sources=sources)
    return Calibration(
        mix=Mix(deep=slope * mean.deep, wide=slope * mean.wide, intercept=slope * mean.intercept + intercept),
        single=single,
    )


def left_out(held: HeldOut) -> dict[str, Floats]:
    """Calibrated P(spam) of held-out texts by model, each fold's calibration fitted on the other folds.

    One fold alone is calibrated on itself.
    """
    found = {name: np.empty(len(held.examples), dtype=np.float64) for name in (SHIPPED, *held.answers)}
    folds = np.unique(held.folds)
    for fold in folds:
        asked = held.folds == fold
        calibration = calibrate(held.only(~asked if len(folds) > 1 else asked))
        for name, answers in calibration.applied(held.only(asked).answers).items():
            found[name][asked] = answers
    return found


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


def _mixed(mix: Mix, *, answers: Mapping[str, Floats]) -> Floats:
    return mix.probabilities(deep=_margins(answers[DEEP]), wide=_margins(answers[WIDE]))


def _sigmoid(probabilities: Floats, *, by: tuple[float, float]) -> Floats:
    """Send probabilities through Platt's curve."""
    slope, intercept = by
    return np.asarray(1 / (1 + np.exp(-(slope * _margins(probabilities) + intercept))), dtype=np.float64)
