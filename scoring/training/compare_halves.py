"""`python -m scoring.training halves`: the value of the wide and the deep half on unseen sources.

Each half alone ranks texts, compared with both together. Use only files that the model was not trained on:
every text of a file is scored, whatever its part.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.normalise import as_read
from scoring.training import fine_tune, labelled_posts, paired, platt, served_content, served_weights, wide
from scoring.training.cross_fit import DEEP, WIDE
from scoring.training.dataset import Example, Split
from scoring.training.evaluate import Floats

log = logging.getLogger(__name__)

RANKING = ("ROC-AUC", "PR-AUC")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--release", type=Path, required=True, help="folder of a release, or a model repository"
    )
    parser.add_argument(
        "--models", type=Path, default=served_content.MODELS, help="where Triton finds installed ones"
    )
    parser.add_argument(
        "--data", type=Path, nargs="+", required=True, help="labelled texts, simulated records or decisions"
    )
    parser.add_argument("--groups", type=int, help="ask about so many groups of each source, drawn by chance")
    parser.add_argument("--seed", type=int, default=1)


def main(arguments: argparse.Namespace) -> None:
    """Print a table for each half."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    model, tokenizer = served_weights.load(arguments.release, models=arguments.models)
    examples = drawn(load(arguments.data), groups=arguments.groups, seed=arguments.seed)
    answers = margins(model, tokenizer, texts=[example.text for example in examples])
    both = answers[DEEP] + answers[WIDE]
    for name, alone in answers.items():
        changes = paired.by_source(examples, before=alone, after=both, metrics=RANKING, seed=arguments.seed)
        for line in paired.table(changes, names=(f"{name} alone", "both halves")):
            log.info("%s", line)


def load(paths: Sequence[Path]) -> list[Example]:
    """Read every text of the files as it is served. Raises labelled_lines.Malformed."""
    return [
        Example(
            id=post.record.external_id,
            source=post.source,
            text=as_read(post.record.text).text,
            label=int(post.is_spam),
            group=post.group,
        )
        for split in Split
        for post in labelled_posts.load(paths, split=split)
        if post.record.text.strip()
    ]


def drawn(examples: Sequence[Example], *, groups: int | None, seed: int) -> list[Example]:
    """Keep so many groups of each source; all of them if None."""
    if groups is None:
        return list(examples)
    kept: set[tuple[str, str]] = set()
    for source in sorted({example.source for example in examples}):
        names = np.array(sorted({example.group for example in examples if example.source == source}))
        chosen = np.random.default_rng(seed).permutation(len(names))[:groups]
        kept.update((source, str(name)) for name in names[chosen])
    return [example for example in examples if (example.source, example.group) in kept]


def margins(model: Any, tokenizer: Any, *, texts: list[str]) -> dict[str, Floats]:
    """Answer how much each half moves the log-odds, float64 (n_texts,); their sum is what is served."""
    fitted = wide.Wide(
        weights=model.wide.weights.double().numpy(),
        squares=model.wide.squares.double().numpy(),
        bias=float(model.wide.bias),
    )
    of_wide = fitted.margins(fine_tune.pieces(tokenizer, texts))
    both = platt.margins(fine_tune.spam_probabilities(model, tokenizer, texts=texts))
    return {DEEP: both - of_wide, WIDE: of_wide}
