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

from scoring import normalise
from scoring.training import augment, content_quality, dataset, evaluate, fine_tune, model_card, peer, rules
from scoring.training.content_quality import Comparison, Robustness
from scoring.training.dataset import Example, FileManifest, Provenance, Split
from scoring.training.evaluate import Floats, Quality
from scoring.training.fine_tune import Recipe

log = logging.getLogger(__name__)

Parts = dict[Split, list[Example]]
Answer = Callable[[list[str]], Floats]

STARTER_TEXTS = Path(__file__).with_name("starter_texts.jsonl")
# Probabilities are calibrated, so the threshold of a verdict needs no tuning.
THRESHOLD = 0.5


@dataclass(frozen=True)
class Material:
    """The labelled texts of a run and the files they came from."""

    examples: list[Example]
    files: list[FileManifest]
    rules: list[rules.RuleQuality]


@dataclass(frozen=True)
class Outcome:
    """What a training run measured; `models`: by name, the quality per source on TEST."""

    models: dict[str, list[Quality]]
    threshold: float
    validation: dict[str, Comparison]
    calibration: tuple[float, float]
    robustness: list[Robustness]
    class_weights: tuple[float, float]
    train_seconds: float
    parts: dict[str, int]
    normaliser: str = normalise.VERSION


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m scoring.training content`."""
    default = Recipe()
    parser.add_argument(
        "--data",
        type=Path,
        nargs="+",
        required=True,
        help="JSON lines of labelled texts, or of exported decisions",
    )
    parser.add_argument(
        "--unlabelled",
        type=Path,
        nargs="*",
        default=[],
        help="JSON lines of texts that rules label for training",
    )
    parser.add_argument("--without-starter-texts", action="store_true", help="leave starter_texts.jsonl out")
    for provenance, weight in dataset.DEFAULT_WEIGHTS.items():
        parser.add_argument(
            f"--{provenance}-weight", type=float, default=weight, help="of one text in training"
        )
    parser.add_argument("--base", default=default.base, help="offline package, local folder or hub name")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for the model, metrics.json and model-card.md"
    )
    parser.add_argument(
        "--epochs", type=int, default=default.epochs, help="0: only calibrate and measure the base"
    )
    parser.add_argument("--batch-size", type=int, default=default.batch_size)
    parser.add_argument("--learning-rate", type=float, default=default.learning_rate)
    parser.add_argument("--disguised-share", type=float, default=default.disguised_share)
    parser.add_argument("--bf16", action="store_true", help="BF16 arithmetic, for processors that have it")
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("--threads", type=int, default=default.threads)


def main(arguments: argparse.Namespace) -> None:
    """Run the command: train, measure, write model, metrics and card into --out."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    recipe = Recipe(
        base=arguments.base,
        epochs=arguments.epochs,
        batch_size=arguments.batch_size,
        learning_rate=arguments.learning_rate,
        disguised_share=arguments.disguised_share,
        is_bf16=arguments.bf16,
        seed=arguments.seed,
        threads=arguments.threads,
    )
    material = gather(
        data=list(arguments.data) + ([] if arguments.without_starter_texts else [STARTER_TEXTS]),
        unlabelled=arguments.unlabelled,
        weights={provenance: getattr(arguments, f"{provenance}_weight") for provenance in Provenance},
    )
    outcome = train(material=material, recipe=recipe, out=arguments.out)
    model_card.write(model_folder=arguments.out, card=arguments.out / "model-card.md")
    for name, qualities in outcome.models.items():
        for quality in qualities:
            figures = (
                quality.f1.value,
                quality.roc_auc.value,
                quality.pr_auc.value,
                quality.calibration_error,
            )
            log.info("%-14s %-12s n=%-5d", name, quality.source, quality.rows)
            log.info("    F1 %.3f  ROC-AUC %.3f  PR-AUC %.3f  ECE %.3f", *figures)


def gather(*, data: Sequence[Path], unlabelled: Sequence[Path], weights: dict[Provenance, float]) -> Material:
    """Read labelled files, label the others by rules, weigh all by provenance. Raises dataset.Malformed."""
    labelled = dataset.load(data)
    ruled = [rules.load(path) for path in unlabelled]
    together = [*labelled, *(example for examples in ruled for example in examples)]
    return Material(
        examples=dataset.weighted(together, weights=weights),
        files=[
            *dataset.manifest(data),
            *(dataset.describe(path, examples=found) for path, found in zip(unlabelled, ruled, strict=True)),
        ],
        rules=rules.measure(dataset.part(labelled, split=Split.TRAIN)) if unlabelled else [],
    )


def train(*, material: Material, recipe: Recipe, out: Path) -> Outcome:
    """Fine-tune on TRAIN, stop early and calibrate on VALIDATION, measure on TEST, save into `out`."""
    parts = {split: dataset.part(material.examples, split=split) for split in Split}
    raw_test = parts[Split.TEST]
    parts[Split.TRAIN] = augment.with_copies(
        parts[Split.TRAIN], share=recipe.disguised_share, seed=recipe.seed
    )
    parts = {split: dataset.read_as_served(members) for split, members in parts.items()}
    for split, members in parts.items():
        log.info("%s: %d texts, %d spam", split, len(members), sum(example.label for example in members))
    weights = fine_tune.class_weights(parts[Split.TRAIN])
    started = time.monotonic()
    model, tokenizer = fine_tune.fit(parts, recipe=recipe, weights=weights, out=out)
    train_seconds = time.monotonic() - started

    def ours(texts: list[str]) -> Floats:
        return fine_tune.spam_probabilities(model, tokenizer, texts=texts, is_bf16=recipe.is_bf16)

    truth = _labels(parts[Split.VALIDATION])
    slope, intercept = content_quality.platt(
        truth, ours(_texts(parts[Split.VALIDATION])), sources=_sources(parts[Split.VALIDATION])
    )
    fine_tune.fold_calibration(model, slope=slope, intercept=intercept)
    fine_tune.save(model, tokenizer, out=out)

    answers = _answers(parts, ours=ours, seed=recipe.seed)
    outcome = Outcome(
        models={
            name: evaluate.by_source(
                parts[Split.TEST], probabilities=found[Split.TEST], threshold=THRESHOLD, seed=recipe.seed
            )
            for name, found in answers.items()
        },
        threshold=THRESHOLD,
        validation={
            name: content_quality.comparison(truth, found[Split.VALIDATION])
            for name, found in answers.items()
        },
        calibration=(slope, intercept),
        robustness=content_quality.robustness(raw_test, answer=ours, threshold=THRESHOLD, seed=recipe.seed),
        class_weights=weights,
        train_seconds=train_seconds,
        parts={split.value: len(members) for split, members in parts.items()},
    )
    _write_metrics(outcome, material=material, recipe=recipe, out=out)
    return outcome


def _answers(parts: Parts, *, ours: Answer, seed: int) -> dict[str, dict[Split, Floats]]:
    """Calibrated P(spam) of the held-out texts by the fine-tuned model, by its simple peer, and by both."""
    texts = {split: _texts(parts[split]) for split in (Split.VALIDATION, Split.TEST)}
    tuned = {split: ours(asked) for split, asked in texts.items()}
    answered = peer.probabilities(
        parts[Split.TRAIN], texts=[text for asked in texts.values() for text in asked], seed=seed
    )
    simple = dict(zip(texts, np.split(answered, [len(texts[Split.VALIDATION])]), strict=True))
    truth, sources = _labels(parts[Split.VALIDATION]), _sources(parts[Split.VALIDATION])

    def calibrated(found: dict[Split, Floats]) -> dict[Split, Floats]:
        by = content_quality.platt(truth, found[Split.VALIDATION], sources=sources)
        return content_quality.calibrated(found, by=by)

    simple = calibrated(simple)
    mean = calibrated({split: (tuned[split] + simple[split]) / 2 for split in texts})
    return {"distilbert": tuned, "tfidf_logistic": simple, "mean_of_both": mean}


def _texts(examples: Sequence[Example]) -> list[str]:
    return [example.text for example in examples]


def _labels(examples: Sequence[Example]) -> Floats:
    return np.array([example.label for example in examples], dtype=np.float64)


def _sources(examples: Sequence[Example]) -> list[str]:
    return [example.source for example in examples]


def _write_metrics(outcome: Outcome, *, material: Material, recipe: Recipe, out: Path) -> None:
    report = {
        "recipe": dataclasses.asdict(recipe),
        "earlier": _earlier(Path(recipe.base)),
        "data": [dataclasses.asdict(entry) for entry in material.files],
        "rules": [dataclasses.asdict(quality) for quality in material.rules],
        "outcome": dataclasses.asdict(outcome),
    }
    (out / "metrics.json").write_text(json.dumps(report, indent=2) + "\n")


def _earlier(base: Path) -> dict[str, object] | None:
    """Return how the base was trained, if it is the outcome of an earlier run of this command."""
    metrics = base / "metrics.json"
    if not metrics.is_file():
        return None
    report = json.loads(metrics.read_text())
    return {
        "recipe": report["recipe"],
        "train_seconds": report["outcome"]["train_seconds"],
        "normaliser": report["outcome"].get("normaliser", normalise.NONE),
        "earlier": report.get("earlier"),
    }
