"""The command that asks the content model about sources it was not trained on, one after the other.

A platform's own texts are such a source until its moderators have labelled some. The test part cannot show
quality there: its texts are from the sources trained on.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging

from training import content_quality, cross_fit, dataset, model_card, train_content
from training.dataset import Split

add_arguments = train_content.add_training_arguments


def main(arguments: argparse.Namespace) -> None:
    """Run the command: train without each source, write unseen.json into --out, and its card anew."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    examples = train_content.material_of(arguments).examples
    held_out = cross_fit.by_sources(
        [
            *dataset.part(examples, split=Split.TRAIN),
            *dataset.part(examples, split=Split.VALIDATION),
        ],
        recipe=train_content.recipe_of(arguments),
    )
    by_source = content_quality.measured(
        held_out.examples, answers=content_quality.left_out(held_out), seed=arguments.seed
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    report = {
        name: [dataclasses.asdict(quality) for quality in qualities] for name, qualities in by_source.items()
    }
    (arguments.out / "unseen.json").write_text(json.dumps(report, indent=2) + "\n")
    if (arguments.out / "metrics.json").is_file():
        model_card.write(model_folder=arguments.out, card=arguments.out / "model-card.md")
    content_quality.tell(by_source)
