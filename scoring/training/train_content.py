"""The command that trains the content model, measures it on the group split, and writes its card."""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scoring.training import dataset, evaluate, fine_tune, model_card, peer
from scoring.training.dataset import Example, Split
from scoring.training.evaluate import Floats, Quality
from scoring.training.fine_tune import Recipe

log = logging.getLogger(__name__)

Parts = dict[Split, list[Example]]

STARTER_TEXTS = Path(__file__).with_name("starter_texts.jsonl")


@dataclass(frozen=True)
class Outcome:
    """What a training run measured; `models`: by name, the quality per source on TEST."""

    models: dict[str, list[Quality]]
    threshold: float
    validation_pr_auc: float
    class_weights: tuple[float, float]
    train_seconds: float
    parts: dict[str, int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m scoring.training content`."""
    default = Recipe()
    parser.add_argument(
        "--data", type=Path, nargs="+", required=True, help="JSON lines files of labelled texts"
    )
    parser.add_argument("--without-starter-texts", action="store_true", help="leave starter_texts.jsonl out")
    parser.add_argument("--base", default=default.base, help="offline package, local folder or hub name")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for the model, metrics.json and model-card.md"
    )
    parser.add_argument("--epochs", type=int, default=default.epochs)
    parser.add_argument("--batch-size", type=int, default=default.batch_size)
    parser.add_argument("--learning-rate", type=float, default=default.learning_rate)
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("--threads", type=int, default=default.threads)


def main(arguments: argparse.Namespace) -> None:
    """Run the command: train, measure, write model, metrics and card into --out."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    paths = list(arguments.data) + ([] if arguments.without_starter_texts else [STARTER_TEXTS])
    recipe = Recipe(
        base=arguments.base,
        epochs=arguments.epochs,
        batch_size=arguments.batch_size,
        learning_rate=arguments.learning_rate,
        seed=arguments.seed,
        threads=arguments.threads,
    )
    outcome = train(paths=paths, recipe=recipe, out=arguments.out)
    model_card.write(model_folder=arguments.out, card=arguments.out / "model-card.md")
    for name, qualities in outcome.models.items():
        for quality in qualities:
            figures = (quality.f1.value, quality.roc_auc.value, quality.pr_auc.value)
            log.info("%-14s %-12s n=%-5d", name, quality.source, quality.rows)
            log.info("    F1 %.3f  ROC-AUC %.3f  PR-AUC %.3f", *figures)


def train(*, paths: Sequence[Path], recipe: Recipe, out: Path) -> Outcome:
    """Fine-tune on the TRAIN part, stop early on VALIDATION PR-AUC, measure on TEST, save into `out`."""
    examples = dataset.load(paths)
    parts = {split: dataset.part(examples, split=split) for split in Split}
    for split, members in parts.items():
        log.info("%s: %d texts, %d spam", split, len(members), sum(example.label for example in members))
    weights = fine_tune.class_weights(parts[Split.TRAIN])
    started = time.monotonic()
    model, tokenizer = fine_tune.fit(parts, recipe=recipe, weights=weights, out=out)
    train_seconds = time.monotonic() - started

    answers = _answers(
        parts,
        ours=lambda texts: fine_tune.spam_probabilities(model, tokenizer, texts=texts),
        seed=recipe.seed,
    )
    truth = _labels(parts[Split.VALIDATION])
    shipped = answers["distilbert"][Split.VALIDATION]
    outcome = Outcome(
        models={
            name: _measure(parts, probabilities=found, seed=recipe.seed) for name, found in answers.items()
        },
        threshold=evaluate.best_threshold(labels=truth, probabilities=shipped),
        validation_pr_auc=evaluate.pr_auc(truth, shipped),
        class_weights=weights,
        train_seconds=train_seconds,
        parts={split.value: len(members) for split, members in parts.items()},
    )
    _write_metrics(outcome, paths=paths, recipe=recipe, out=out)
    return outcome


def _answers(
    parts: Parts, *, ours: Callable[[list[str]], Floats], seed: int
) -> dict[str, dict[Split, Floats]]:
    """P(spam) of the held-out texts by the fine-tuned model, by its simple peer, and by both."""
    texts = {split: [example.text for example in parts[split]] for split in (Split.VALIDATION, Split.TEST)}
    tuned = {split: ours(asked) for split, asked in texts.items()}
    together = [text for asked in texts.values() for text in asked]
    answered = peer.probabilities(parts[Split.TRAIN], texts=together, seed=seed)
    simple = dict(zip(texts, np.split(answered, [len(texts[Split.VALIDATION])]), strict=True))
    mean = {split: (tuned[split] + simple[split]) / 2 for split in texts}
    return {"distilbert": tuned, "tfidf_logistic": simple, "mean_of_both": mean}


def _measure(parts: Parts, *, probabilities: dict[Split, Floats], seed: int) -> list[Quality]:
    threshold = evaluate.best_threshold(
        labels=_labels(parts[Split.VALIDATION]), probabilities=probabilities[Split.VALIDATION]
    )
    return evaluate.by_source(
        parts[Split.TEST], probabilities=probabilities[Split.TEST], threshold=threshold, seed=seed
    )


def _labels(examples: Sequence[Example]) -> Floats:
    return np.array([example.label for example in examples], dtype=np.float64)


def _write_metrics(outcome: Outcome, *, paths: Sequence[Path], recipe: Recipe, out: Path) -> None:
    report = {
        "recipe": dataclasses.asdict(recipe),
        "data": [dataclasses.asdict(entry) for entry in dataset.manifest(paths)],
        "outcome": dataclasses.asdict(outcome),
    }
    (out / "metrics.json").write_text(json.dumps(report, indent=2) + "\n")
