"""What should stand in for a word that SHAP takes away? Explanations with different masks, compared.

.venv/bin/python -m bench masks --texts 20       (while `make run` is up, or with TRITON_URL)

A mask should say nothing itself. Asked of each: the content margin of the mask alone; how far the margin of a
text moves towards the other verdict when the three words that speak most for its own are taken out, which is
what an explanation is for; and the share of words in honest texts that seem to speak for spam. The texts are
of the validation part, so many of each source and label.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench import _content
from scoring.content import ContentModel
from scoring.ensemble import content_margins
from scoring.explain import MASK, WordContribution, word_contributions
from scoring.splits import Split
from scoring.training import dataset
from scoring.training.dataset import Example
from scoring.trees import Floats

_FILES = [Path(f"../shared/data/{name}.jsonl") for name in ("sms_uci", "youtube_uci", "x_janitr")]
_MASKS = ("...", ".", "_", "-", "*", "|", "#", "[UNK]")
_WORDS = range(6, 46)
_TAKEN_OUT = 3
_SPEAKS = 0.2  # log-odds from which the desk's shade of a word can be seen


def main() -> None:
    """Explain the same texts with each mask and print a table."""
    options = _options()
    content = _Remembered(_content.connect())
    chosen = _chosen(options.files, texts=options.texts, seed=options.seed)
    print(f"{len(chosen)} texts of the validation part; * is the mask in use\n")
    print("| mask | its margin | three words out move a verdict by | honest words that seem spam's |")
    print("|---|---|---|---|")
    for mask in options.masks:
        print(_row(mask, chosen, content=content), flush=True)


class _Remembered:
    """Asks the content model once about each text: masks share most of theirs."""

    def __init__(self, content: ContentModel) -> None:
        self._content = content
        self._known: dict[str, float] = {}

    def probabilities(self, texts: Sequence[str]) -> Floats:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known |= dict(zip(new, self._content.probabilities(new), strict=True)) if new else {}
        return np.array([self._known[text] for text in texts])

    def margin(self, text: str) -> float:
        return float(content_margins(self.probabilities([text]))[0])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, default=_FILES, help="labelled texts, JSON lines")
    parser.add_argument("--texts", type=int, default=20, help="of each source and label")
    parser.add_argument("--masks", nargs="+", default=_MASKS)
    parser.add_argument("--seed", type=int, default=3)
    return parser.parse_args()


def _chosen(files: Sequence[Path], *, texts: int, seed: int) -> list[Example]:
    """Draw texts that are neither a word or two nor longer than the model reads."""
    examples = [
        example
        for example in dataset.part(dataset.load(files), split=Split.VALIDATION)
        if len(example.text.split()) in _WORDS
    ]
    random.Random(seed).shuffle(examples)
    kinds = sorted({(example.source, example.label) for example in examples})
    return [
        example
        for kind in kinds
        for example in [one for one in examples if (one.source, one.label) == kind][:texts]
    ]


def _row(mask: str, chosen: Sequence[Example], *, content: _Remembered) -> str:
    moved, seems = [], []
    for example in chosen:
        words = word_contributions(example.text, probabilities=content.probabilities, mask=mask)
        before = content.margin(example.text)
        side = 1.0 if before > 0 else -1.0
        spoken = sorted(words, key=lambda word: -side * word.contribution)[:_TAKEN_OUT]
        moved.append(side * (before - content.margin(_without(example.text, spoken))))
        if not example.label:
            seems += [word.contribution > _SPEAKS for word in words]
    name = f"`{mask}`{' *' if mask == MASK else ''}".replace("|", "\\|")
    return f"| {name} | {content.margin(mask):.2f} | {np.mean(moved):.2f} | {np.mean(seems):.1%} |"


def _without(text: str, words: Sequence[WordContribution]) -> str:
    for word in sorted(words, key=lambda word: -word.start):
        text = text[: word.start] + " " + text[word.end :]
    return text


if __name__ == "__main__":
    main()
