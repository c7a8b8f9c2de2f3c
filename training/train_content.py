"""The command that trains the content model, measures it on the group split, and writes its card."""

import argparse
import dataclasses
import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scoring import normalise
from training import (
    content_quality,
    continue_content,
    cross_fit,
    dataset,
    held_out,
    model_card,
    served_content,
)
from training.content_quality import SHIPPED, Robustness
from training.dataset import Example, FileManifest, Split
from training.evaluate import Quality
from training.fine_tune import Recipe
from training.wide import Mix

log = logging.getLogger(__name__)

OWN_TEXTS = tuple(Path(__file__).with_name(name) for name in ("starter_texts.jsonl", "curated_posts.jsonl"))


@dataclass(frozen=True)
class Material:
    """The labelled texts of a run and the files they came from."""

    examples: list[Example]
    files: list[FileManifest]


@dataclass(frozen=True)
class Outcome:
    """What a training run measured: by model, the quality per source on held-out texts and on TEST."""

    models: dict[str, list[Quality]]
    held_out: dict[str, list[Quality]]
    mix: Mix
    robustness: list[Robustness]
    class_weights: tuple[float, float]
    train_seconds: float
    parts: dict[str, int]
    normaliser: str = normalise.VERSION


_NUMBERS: dict[str, tuple[type, str]] = {
    "epochs": (int, "0: only calibrate and measure the base"),
    "batch-size": (int, ""),
    "learning-rate": (float, ""),
    "most-per-source": (int, "texts of one published source that DistilBERT learns; 0: all"),
    "disguised-share": (float, ""),
    "consistency": (
        float,
        "weight in the loss of readings that dropout parts; 0: read once, in half the time",
    ),
    "likeness": (float, "weight in the loss of a text's vector that leaves the base's"),
    "threads": (int, ""),
    "folds": (int, "train so many more times, to calibrate and measure on all texts outside the test part"),
}
"""Numbers of the recipe that may be given."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m training content`."""
    add_training_arguments(parser)
    parser.add_argument(
        "--from-live",
        type=Path,
        metavar="FOLDER",
        help="train the content model of this release, or of this model repository, further; needs --replay",
    )
    parser.add_argument(
        "--replay",
        type=Path,
        nargs="+",
        default=[],
        help="labelled texts of the sources that it was trained on: learned again, and measured",
    )


def add_training_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare data and recipe; defaults are those of `Recipe`, or of continue_content.RECIPE."""
    parser.add_argument(
        "--data",
        type=Path,
        nargs="+",
        required=True,
        help="JSON lines of labelled texts, or of exported decisions",
    )
    parser.add_argument(
        "--without-own-texts",
        action="store_true",
        help="leave out starter_texts.jsonl and curated_posts.jsonl",
    )
    parser.add_argument("--base", help="offline package, local folder or hub name")
    parser.add_argument(
        "--held-out", type=Path, help="answers to texts left out, of the training that made the base"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for the model, metrics.json and model-card.md"
    )
    parser.add_argument(
        "--bf16",
        dest="is_bf16",
        action="store_true",
        default=None,
        help="BF16 arithmetic, for processors that have it",
    )
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    for name, (kind, told) in _NUMBERS.items():
        parser.add_argument(f"--{name}", type=kind, help=told)


def main(arguments: argparse.Namespace) -> None:
    """Run the command: train, measure, write model, metrics and card into --out."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if arguments.from_live:
        _continue(arguments)
        return
    recipe = recipe_of(arguments)
    earlier = arguments.held_out
    if earlier and recipe.folds:
        raise SystemExit("--folds is not for --held-out: the base has seen every fold")
    outcome = train(material=material_of(arguments), recipe=recipe, earlier=earlier, out=arguments.out)
    model_card.write(model_folder=arguments.out, card=arguments.out / "model-card.md")
    log.info("%s", model_card.table(dataclasses.asdict(outcome)["models"]))


def _continue(arguments: argparse.Namespace) -> None:
    """Train the live model further; exit with a message if it must not be, or forgot."""
    for option in ("base", "folds", "held_out"):
        if getattr(arguments, option):
            raise SystemExit(f"--{option.replace('_', '-')} is not for --from-live")
    if not arguments.replay:
        raise SystemExit("--from-live needs --replay: without it, what is forgotten is not even measured")
    own_texts = [] if arguments.without_own_texts else OWN_TEXTS
    try:
        further(
            arguments.from_live,
            models=served_content.MODELS,
            labels=arguments.data,
            replay=[*arguments.replay, *own_texts],
            recipe=recipe_of(arguments, default=continue_content.RECIPE),
            out=arguments.out,
        )
    except (continue_content.TooFew, continue_content.Forgotten) as refused:
        raise SystemExit(str(refused)) from refused


def further(
    live: Path,
    *,
    models: Path,
    labels: Sequence[Path],
    replay: Sequence[Path],
    recipe: Recipe = continue_content.RECIPE,
    out: Path,
) -> None:
    """Train the live content model further on labels, beside texts of `replay` that it knows.

    Raises dataset.Malformed, continue_content.TooFew, or continue_content.Forgotten once all is written.
    """
    texts = continue_content.Texts(labels=dataset.load(labels), replay=dataset.load(replay))
    continue_content.run(live=live, models=models, texts=texts, recipe=recipe, out=out)


def recipe_of(arguments: argparse.Namespace, *, default: Recipe = Recipe()) -> Recipe:  # noqa: B008 - frozen
    """Read the recipe from the options; others are as in `default`."""
    names = {field.name for field in dataclasses.fields(Recipe)}
    choices = {name: value for name, value in vars(arguments).items() if name in names and value is not None}
    return dataclasses.replace(default, **choices)


def material_of(arguments: argparse.Namespace) -> Material:
    """Gather the data of the options. Raises dataset.Malformed."""
    data = [*arguments.data, *([] if arguments.without_own_texts else OWN_TEXTS)]
    return Material(examples=dataset.load(data), files=dataset.manifest(data))


def train(*, material: Material, recipe: Recipe, earlier: Path | None = None, out: Path) -> Outcome:
    """Fit both halves on TRAIN, join and calibrate them on held-out texts, measure on TEST, save into `out`.

    Held out are the folds of TRAIN and VALIDATION, or without folds VALIDATION, and TRAIN with the `earlier`
    held-out answers of the base's training.
    """
    raw = {split: dataset.part(material.examples, split=split) for split in Split}
    for split, members in raw.items():
        log.info("%s: %d texts, %d spam", split, len(members), sum(example.label for example in members))
    learned = dataset.read_as_served(raw[Split.TRAIN])
    before = held_out.of_base(raw[Split.TRAIN], recipe=recipe, path=earlier)
    started = time.monotonic()
    halves = cross_fit.train(raw, recipe=recipe, out=out)
    train_seconds = time.monotonic() - started
    unseen = (
        cross_fit.by_folds([*raw[Split.TRAIN], *raw[Split.VALIDATION]], recipe=recipe)
        if recipe.folds
        else cross_fit.on_validation(raw[Split.VALIDATION], halves=halves)
    )
    calibration = content_quality.calibrate(unseen)
    left_out = content_quality.left_out(unseen)
    held_out.write(
        out / held_out.FILE,
        learned=[example.text for example in learned],
        texts=[example.text for example in (*learned[: len(before)], *unseen.examples)],
        answers=np.concatenate([before, left_out[SHIPPED]]),
    )
    ours = halves.save(mix=calibration.mix, out=out)
    tested = dataset.read_as_served(raw[Split.TEST])
    answers = halves.answers([example.text for example in tested])
    shipped = {SHIPPED: ours([example.text for example in tested])}
    outcome = Outcome(
        models=content_quality.measured(
            tested, answers=calibration.applied(answers) | shipped, seed=recipe.seed
        ),
        held_out=content_quality.measured(unseen.examples, answers=left_out, seed=recipe.seed),
        mix=calibration.mix,
        robustness=content_quality.robustness(raw[Split.TEST], answer=ours, seed=recipe.seed),
        class_weights=halves.weights,
        train_seconds=train_seconds,
        parts={split.value: len(members) for split, members in raw.items()},
    )
    _write_metrics(outcome, material=material, recipe=recipe, earlier=earlier, out=out)
    return outcome


def _write_metrics(
    outcome: Outcome, *, material: Material, recipe: Recipe, earlier: Path | None, out: Path
) -> None:
    report = {
        "recipe": dataclasses.asdict(recipe),
        "earlier": model_card.earlier(Path(recipe.base)),
        "held_out": earlier and earlier.name,
        "data": [dataclasses.asdict(entry) for entry in material.files],
        "outcome": dataclasses.asdict(outcome),
    }
    (out / "metrics.json").write_text(json.dumps(report, indent=2) + "\n")
