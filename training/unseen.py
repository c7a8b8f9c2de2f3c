"""The command that asks the content model about texts it was not trained on, source by source or by folds.

A platform's own texts are such a source until its moderators have labelled some. The test part cannot show
quality there: its texts are from the sources trained on. Folds (--folds) are what is fitted on top of a
content model needs: answers to texts that it learned, by trainings that left them out.
"""

import argparse
import dataclasses
import json
import logging
from pathlib import Path

from training import content_quality, cross_fit, dataset, held_out, model_card, train_content
from training.dataset import Split

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m training unseen`."""
    train_content.add_training_arguments(parser)
    parser.add_argument("--most-folds", type=int, help="train so many of the folds, for want of time; 0: all")


def main(arguments: argparse.Namespace) -> None:
    """Run the command: train without each source or fold, write unseen.json or held-out.npz into --out.

    The card of a model that lies there is written anew.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    recipe = train_content.recipe_of(arguments)
    examples = train_content.material_of(arguments).examples
    learned, validation = (dataset.part(examples, split=split) for split in (Split.TRAIN, Split.VALIDATION))
    leave_out = cross_fit.by_folds if recipe.folds else cross_fit.by_sources
    unseen = leave_out([*learned, *validation], recipe=recipe)
    answers = content_quality.left_out(unseen)
    by_source = content_quality.measured(unseen.examples, answers=answers, seed=recipe.seed)
    report = {
        name: [dataclasses.asdict(quality) for quality in qualities] for name, qualities in by_source.items()
    }
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    if recipe.folds:
        held_out.write(
            out / held_out.FILE,
            learned=[example.text for example in dataset.read_as_served(learned)],
            texts=[example.text for example in unseen.examples],
            answers=answers[content_quality.SHIPPED],
        )
    else:
        (out / "unseen.json").write_text(json.dumps(report, indent=2) + "\n")
        if (out / "metrics.json").is_file():
            model_card.write(model_folder=out, card=out / "model-card.md")
    log.info("%s", model_card.table(report))
