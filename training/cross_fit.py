"""Out-of-sample predictions: by folds over near-duplicate groups, or on the validation part.

Choices and calibration use these. Folds give a prediction for every text outside the test part, ten times as
many as the validation part, for one more training each. Folds that are whole sources estimate the quality on
an unlabelled platform.
"""

from __future__ import annotations

import logging
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scoring.ensemble import probabilities_of
from scoring.splits import bucket
from training import attacks, batches, dataset, fine_tune, peer, platt, wide
from training.dataset import Example, Provenance, Split
from training.evaluate import Floats
from training.fine_tune import Recipe
from training.wide import Mix

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from training.wide_and_deep import WideAndDeep

log = logging.getLogger(__name__)

DEEP, WIDE, SIMPLE = "distilbert", "wide", "tfidf_logistic"
# A training is calibrated on one group in this many.
_STOPPING = 10

Parts = Mapping[Split, Sequence[Example]]
Answer = Callable[[list[str]], Floats]
"""Texts as they are served → P(spam), float64 (n_texts,)."""


@dataclass(frozen=True)
class HeldOut:
    """Texts and, by model, P(spam) float64 (n_texts,) from one that was not trained on them.

    `folds` (n_texts,) tells which training left a text out.
    """

    examples: list[Example]
    folds: NDArray[np.int_]
    answers: Mapping[str, Floats]

    def only(self, rows: NDArray[np.bool_]) -> HeldOut:
        """Keep some of the texts."""
        return HeldOut(
            examples=[example for example, is_kept in zip(self.examples, rows, strict=True) if is_kept],
            folds=self.folds[rows],
            answers={name: values[rows] for name, values in self.answers.items()},
        )

    @property
    def labels(self) -> Floats:
        """1 where spam."""
        return np.array([example.label for example in self.examples], dtype=np.float64)

    @property
    def sources(self) -> list[str]:
        """Where each text comes from."""
        return [example.source for example in self.examples]


@dataclass(frozen=True)
class Halves:
    """The result of one training: DistilBERT with its tokenizer, the wide half, and the simple peer.

    `weights` are those of the classes (ham, spam) in DistilBERT's loss. `calibration` is slope and intercept
    of its margins: trainings differ in confidence.
    """

    deep: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    calibration: tuple[float, float]
    wide: wide.Wide
    simple: Answer
    recipe: Recipe
    weights: tuple[float, float]

    def answers(self, texts: list[str]) -> dict[str, Floats]:
        """P(spam) of texts as they are served, by model."""
        margins = self.wide.margins(batches.pieces(self.tokenizer, texts))
        deep = fine_tune.spam_probabilities(
            self.deep, self.tokenizer, texts=texts, is_bf16=self.recipe.is_bf16
        )
        return {
            DEEP: platt.applied(deep, by=self.calibration),
            WIDE: probabilities_of(margins),
            SIMPLE: self.simple(texts),
        }

    def joined(self, mix: Mix) -> WideAndDeep:
        """Put both halves into one model, whose P(spam) is calibrated."""
        from training import wide_and_deep

        return wide_and_deep.joined(self.deep, fitted=self.wide, mix=mix.after(self.calibration))

    def save(self, *, mix: Mix, out: Path) -> Answer:
        """Write the joined model and its tokenizer; return its calibrated P(spam) as a function."""
        model = self.joined(mix)
        fine_tune.save(model, self.tokenizer, out=out)
        return lambda texts: fine_tune.spam_probabilities(
            model, self.tokenizer, texts=texts, is_bf16=self.recipe.is_bf16
        )


def train(raw: Parts, *, recipe: Recipe, out: Path, besides: Sequence[Example] = ()) -> Halves:
    """Fit everything on raw TRAIN as it would be served, a share of it disguised a second time.

    DistilBERT is calibrated on VALIDATION. The raw texts `besides` are learned by the
    wide half and the simple peer alone, whose fits take seconds whatever they read.
    """
    read, others = drawn(raw[Split.TRAIN], recipe=recipe)
    parts = {
        Split.TRAIN: _learned(read, recipe=recipe),
        Split.VALIDATION: dataset.read_as_served(raw[Split.VALIDATION]),
    }
    everything = [*parts[Split.TRAIN], *_learned([*others, *besides], recipe=recipe)]
    weights = fine_tune.class_weights(parts[Split.TRAIN])
    deep, tokenizer = fine_tune.fit(parts[Split.TRAIN], recipe=recipe, weights=weights, out=out)
    stopped = parts[Split.VALIDATION]
    probabilities = fine_tune.spam_probabilities(
        deep, tokenizer, texts=[example.text for example in stopped], is_bf16=recipe.is_bf16
    )
    return Halves(
        deep=deep,
        tokenizer=tokenizer,
        calibration=platt.fit(
            np.array([example.label for example in stopped], dtype=np.float64),
            probabilities,
            sources=[example.source for example in stopped],
        ),
        wide=_wide(everything, deep=deep, tokenizer=tokenizer, seed=recipe.seed),
        simple=peer.fit(everything, seed=recipe.seed),
        recipe=recipe,
        weights=weights,
    )


def drawn(examples: Sequence[Example], *, recipe: Recipe) -> tuple[list[Example], list[Example]]:
    """Part examples into those that DistilBERT learns and the others, by `most_per_source`."""
    most = recipe.most_per_source or len(examples)
    rows: dict[str, list[int]] = defaultdict(list)
    for row in np.random.default_rng(recipe.seed).permutation(len(examples)).tolist():
        if examples[row].provenance is Provenance.PROFESSIONAL:
            rows[examples[row].source].append(row)
    others = {row for order in rows.values() for row in order[most:]}
    return (
        [example for row, example in enumerate(examples) if row not in others],
        [examples[row] for row in sorted(others)],
    )


def _learned(examples: Sequence[Example], *, recipe: Recipe) -> list[Example]:
    return dataset.read_as_served(
        attacks.with_copies(examples, share=recipe.disguised_share, seed=recipe.seed)
    )


def _wide(examples: Sequence[Example], *, deep: Any, tokenizer: Any, seed: int) -> wide.Wide:
    readings = batches.both_readings(tokenizer, [example.text for example in examples], seed=seed)
    return wide.fit(
        [ids for both in readings for ids in both],
        labels=[example.label for example in examples for _ in range(2)],
        weights=[example.weight for example in examples for _ in range(2)],
        vocabulary=int(deep.config.vocab_size),
        seed=seed,
    )


def on_validation(examples: Sequence[Example], *, halves: Halves) -> HeldOut:
    """Let the trained model answer for raw texts of the validation part, as served."""
    served = dataset.read_as_served(examples)
    return HeldOut(
        examples=served,
        folds=np.zeros(len(served), dtype=np.int_),
        answers=halves.answers([example.text for example in served]),
    )


def by_folds(examples: Sequence[Example], *, recipe: Recipe) -> HeldOut:
    """Train once a fold, on raw examples of the other folds, and let it answer for the fold, as served.

    Each training is calibrated on a tenth of the others. Rule-labelled texts are learned, never predicted.
    """
    place = [bucket(f"fold:{example.group}", of=recipe.folds) for example in examples]
    return _left_out(examples, place=place, recipe=recipe)


def by_sources(examples: Sequence[Example], *, recipe: Recipe) -> HeldOut:
    """Do as `by_folds` where every source is a fold.

    Raises ValueError for fewer than two sources, or a recipe without epochs.
    """
    if not recipe.epochs:
        raise ValueError(
            "leaving a source out needs epochs: a base that is not trained anew may have seen it"
        )
    sources = sorted({example.source for example in examples})
    if len(sources) < 2:
        raise ValueError(
            f"needs two sources at least, to leave one out: found {', '.join(sources) or 'none'}"
        )
    number = {source: place for place, source in enumerate(sources)}
    place = [number[example.source] for example in examples]
    return _left_out(examples, place=place, recipe=recipe)


def _left_out(examples: Sequence[Example], *, place: Sequence[int], recipe: Recipe) -> HeldOut:
    """Train once per fold, without it; `place` (n_examples,) is each example's fold."""
    left_out = np.unique(place)[: recipe.most_folds or None]
    rows = [row for row in range(len(examples)) if place[row] in left_out]
    served = dataset.read_as_served([examples[row] for row in rows])
    folds = np.array([place[row] for row in rows], dtype=np.int_)
    answers = {name: np.empty(len(rows), dtype=np.float64) for name in (DEEP, WIDE, SIMPLE)}
    for number, fold in enumerate(left_out, start=1):
        log.info("fold %d of %d", number, len(left_out))
        others = [example for example, at in zip(examples, place, strict=True) if at != fold]
        places = np.flatnonzero(folds == fold)
        with tempfile.TemporaryDirectory() as scratch:
            halves = train(_stopping_part(others), recipe=recipe, out=Path(scratch))
            for name, values in halves.answers([served[row].text for row in places]).items():
                answers[name][places] = values
    return HeldOut(examples=served, folds=folds, answers=answers)


def _stopping_part(examples: Sequence[Example]) -> dict[Split, list[Example]]:
    parts: dict[Split, list[Example]] = {Split.TRAIN: [], Split.VALIDATION: []}
    for example in examples:
        stops = bucket(f"stop:{example.group}", of=_STOPPING) == 0
        parts[Split.VALIDATION if stops else Split.TRAIN].append(example)
    return parts
