"""Value of each sub-model, alone and together, when signals are missing or misleading."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from scoring import features
from scoring.ensemble import MAIN_INPUTS, SUB_MODELS, content_margins
from scoring.training.ensemble_rows import Rows
from scoring.training.fit_ensemble import left_out_margins, sub_model
from scoring.training.fit_forests import fit_classifier
from scoring.trees import Floats, Forest


class Spoilage(NamedTuple):
    """Which shares of the posts lack a signal, and carry that of a post of the other sort; in [0, 1]."""

    missing: float
    misleading: float

    def __str__(self) -> str:
        if self == UNSPOILT:
            return "as simulated"
        return f"{self.missing:.0%} missing, {self.misleading:.0%} misleading"


UNSPOILT = Spoilage(missing=0.0, misleading=0.0)
# Platforms lack different signals, so one level would show only one case.
LEVELS = (UNSPOILT, Spoilage(missing=0.1, misleading=0.06), Spoilage(missing=0.2, misleading=0.12))


def spoilt(rows: Rows, *, by: Spoilage, seed: int) -> Rows:
    """Take each signal (behaviour, journey, content) from some rows, and give others that of a post of the
    other sort; signals are spoilt independently of one another.
    """
    if by == UNSPOILT:
        return rows
    generator = np.random.default_rng(seed)
    table = rows.features.copy()
    for columns in (_columns("social."), _columns("journey.")):
        fate, donors = _fates(rows, by=by, generator=generator)
        table[fate == 1] = _with_columns(table[fate == 1], columns=columns, values=np.nan)
        table[fate == 2] = _with_columns(
            table[fate == 2], columns=columns, values=rows.features[donors[fate == 2]][:, columns]
        )
    fate, donors = _fates(rows, by=by, generator=generator)
    content = np.where(fate == 2, rows.content_probabilities[donors], rows.content_probabilities)
    return dataclasses.replace(
        rows, features=table, content_probabilities=np.where(fate == 1, np.nan, content)
    )


def study_levels(train: Rows, test: Rows, *, seed: int) -> dict[str, Any]:
    """Study the sub-models at every level of spoilage, by its name; train and test are spoilt alike."""
    return {
        str(by): study(spoilt(train, by=by, seed=seed), spoilt(test, by=by, seed=seed + 1), seed=seed)
        for by in LEVELS
    }


def study(train: Rows, test: Rows, *, seed: int) -> dict[str, Any]:
    """Return PR-AUC on the test rows of every combination of sub-models, each with a forest of its own,
    and the accuracy of behaviour and journey alone; fitted on the train rows.
    """
    margins = np.column_stack(
        [
            *(left_out_margins(train, name=name, seed=seed) for name in SUB_MODELS),
            content_margins(train.content_probabilities),
        ]
    )
    tested = np.column_stack(
        [
            *(_judged(sub_model(train, name=name, seed=seed), test) for name in SUB_MODELS),
            content_margins(test.content_probabilities),
        ]
    )
    found = {
        " + ".join(names): _pr_auc(names, margins, tested, train=train, test=test, seed=seed)
        for size in range(1, len(MAIN_INPUTS) + 1)
        for names in itertools.combinations(MAIN_INPUTS, size)
    }
    behaviour = tested[:, SUB_MODELS.index("behaviour")]
    return {
        "rows": len(test.is_spam),
        "spam": int(test.is_spam.sum()),
        "pr_auc": found,
        "accuracy_of_behaviour_and_journey": float(((behaviour >= 0.0) == test.is_spam).mean()),
        "accuracy_of_calling_nothing_spam": float((~test.is_spam).mean()),
    }


def _pr_auc(
    names: Sequence[str], margins: Floats, tested: Floats, *, train: Rows, test: Rows, seed: int
) -> float:
    places = [MAIN_INPUTS.index(name) for name in names]
    main, _ = fit_classifier(
        margins[:, places], is_spam=train.is_spam, weights=train.weights, inputs=tuple(names), seed=seed
    )
    return float(average_precision_score(test.is_spam, main.margins(tested[:, places])))


def _fates(
    rows: Rows, *, by: Spoilage, generator: np.random.Generator
) -> tuple[NDArray[np.int_], NDArray[np.intp]]:
    """Return for each row 0 (true), 1 (missing) or 2 (misleading), and a row of the other sort."""
    shares = [1.0 - by.missing - by.misleading, by.missing, by.misleading]
    fate = generator.choice(3, size=len(rows.is_spam), p=shares)
    spam, honest = np.flatnonzero(rows.is_spam), np.flatnonzero(~rows.is_spam)
    count = len(rows.is_spam)
    donors = np.where(rows.is_spam, generator.choice(honest, count), generator.choice(spam, count))
    return fate, donors


def _with_columns(table: Floats, *, columns: NDArray[np.intp], values: Floats | float) -> Floats:
    table = table.copy()
    table[:, columns] = values
    return table


def _columns(prefix: str) -> NDArray[np.intp]:
    return np.flatnonzero([name.startswith(prefix) for name in features.NAMES])


def _judged(forest: Forest, rows: Rows) -> Floats:
    return forest.margins(rows.features[:, [features.NAMES.index(name) for name in forest.inputs]])
