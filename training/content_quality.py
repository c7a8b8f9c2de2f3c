"""Calibration of the content model, the mix of its halves, and robustness to disguise."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.normalise import as_read
from training import evaluate, platt
from training.attacks import ATTACKS, attacked
from training.cross_fit import DEEP, WIDE, HeldOut
from training.dataset import Example
from training.evaluate import Floats, Quality
from training.wide import Mix

SHIPPED = "wide_and_deep"
DEEP_SHARE = 0.75
"""Share of the calibrated log-odds; less harms texts unlike the training texts (ADR 10, ADR 11)."""


@dataclass(frozen=True)
class Calibration:
    """Calibration on held-out answers: slope and intercept by model, and the mix of the halves."""

    mix: Mix
    single: Mapping[str, tuple[float, float]]

    def applied(self, answers: Mapping[str, Floats]) -> dict[str, Floats]:
        """Calibrate the models' answers to the same texts, and mix them into that of the shipped model."""
        return {
            SHIPPED: mixed(self.mix, answers=answers),
            **{name: platt.applied(values, by=self.single[name]) for name, values in answers.items()},
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


def calibrate(held: HeldOut) -> Calibration:
    """Fit each model's calibration on held-out texts; the mix is the calibrated halves' sum, calibrated."""
    labels, sources = held.labels, held.sources
    single = {name: platt.fit(labels, values, sources=sources) for name, values in held.answers.items()}
    deep, wide = single[DEEP], single[WIDE]
    sum_of_both = Mix(
        deep=DEEP_SHARE * deep[0],
        wide=(1 - DEEP_SHARE) * wide[0],
        intercept=DEEP_SHARE * deep[1] + (1 - DEEP_SHARE) * wide[1],
    )
    by = platt.fit(labels, mixed(sum_of_both, answers=held.answers), sources=sources)
    return Calibration(mix=sum_of_both.calibrated(by), single=single)


def left_out(held: HeldOut) -> dict[str, Floats]:
    """Calibrated P(spam) of held-out texts by model, each fold's calibration fitted on the other folds.

    One fold alone is calibrated on itself.
    """
    outputs = {name: np.empty(len(held.examples), dtype=np.float64) for name in (SHIPPED, *held.answers)}
    folds = np.unique(held.folds)
    for fold in folds:
        rows = held.folds == fold
        calibration = calibrate(held.only(~rows if len(folds) > 1 else rows))
        for name, answers in calibration.applied(held.only(rows).answers).items():
            outputs[name][rows] = answers
    return outputs


def robustness(
    examples: Sequence[Example], *, answer: Callable[[list[str]], Floats], seed: int
) -> list[Robustness]:
    """Attack every spam text of raw examples; the first result is without attack."""
    spam = [example.text for example in examples if example.label]

    def measured(name: str, texts: Sequence[str]) -> Robustness:
        probabilities = answer([as_read(text).text for text in texts])
        raw = answer(list(texts))
        return Robustness(
            attack=name,
            texts=len(texts),
            recall=float((probabilities >= evaluate.THRESHOLD).mean()),
            recall_without_normaliser=float((raw >= evaluate.THRESHOLD).mean()),
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


def mixed(mix: Mix, *, answers: Mapping[str, Floats]) -> Floats:
    """Return the joint P(spam) of texts, given each half's."""
    return mix.probabilities(deep=platt.margins(answers[DEEP]), wide=platt.margins(answers[WIDE]))


def measured(
    examples: Sequence[Example], *, answers: Mapping[str, Floats], seed: int
) -> dict[str, list[Quality]]:
    """Measure each model's P(spam), float64 (n_examples,), by source."""
    return {
        name: evaluate.by_source(examples, probabilities=values, seed=seed)
        for name, values in answers.items()
    }
