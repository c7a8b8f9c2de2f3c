"""The command that writes the normaliser's word list: the words that "v1agra" and "fr33" may stand for."""

import argparse
import json
import logging
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from training import dataset
from training.dataset import Split

log = logging.getLogger(__name__)

# The vocabulary is sorted by frequency; words that only spam corpora know come after its commonest.
_COMMON = 6_000
_LEAST_COUNT = 4
# The vocabulary holds every pair of letters; these are words.
_SHORT = (
    *("a", "i", "u", "to", "of", "in", "is", "it", "on", "at", "as", "an"),
    *("be", "by", "do", "go", "he", "if"),
    *("me", "my", "no", "or", "so", "up", "us", "we", "am", "hi", "ok", "ur"),
)
_SHORT_RANK = 40
_VOCABULARY_WORD = re.compile(r"[a-z]{3,}")
_CORPUS_WORD = re.compile(r"(?<![\w@#./])[a-z]{4,16}(?![\w./])")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m training words`."""
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json of the base")
    parser.add_argument(
        "--data", type=Path, nargs="+", required=True, help="labelled texts: their train part"
    )
    parser.add_argument("--out", type=Path, required=True)


def main(arguments: argparse.Namespace) -> None:
    """Run the command."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    words = word_list(tokenizer=arguments.tokenizer, data=arguments.data)
    arguments.out.write_text("\n".join(words) + "\n", encoding="ascii")
    log.info("%d words", len(words))


def word_list(*, tokenizer: Path, data: Sequence[Path]) -> list[str]:
    """Return whole words of the vocabulary and words of the corpora's train part, most frequent first."""
    entries: dict[str, int] = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    ordered = sorted(entries, key=lambda entry: entries[entry])
    vocabulary = [entry for entry in ordered if _VOCABULARY_WORD.fullmatch(entry)]
    counts: Counter[str] = Counter()
    for example in dataset.part(dataset.load(data), split=Split.TRAIN):
        counts.update(set(_CORPUS_WORD.findall(example.text.lower())))
    pieces = set(vocabulary)
    special = [word for word, count in counts.most_common() if count >= _LEAST_COUNT and word not in pieces]
    return [
        *vocabulary[:_SHORT_RANK],
        *_SHORT,
        *vocabulary[_SHORT_RANK:_COMMON],
        *special,
        *vocabulary[_COMMON:],
    ]
