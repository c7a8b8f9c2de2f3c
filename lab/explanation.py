"""How long does it take to explain the words of a post? SHAP through Triton, on texts of a stated length.

.venv/bin/python -m lab explanation --tokens 64 --texts 100    (while `make run` is up, or with TRITON_URL)
"""

from __future__ import annotations

import argparse
import os
import random
import time
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from lab import _content
from scoring.content import ContentModel
from scoring.explain import word_contributions
from training import dataset
from training.train_content import OWN_TEXTS

TOKENIZER = Path("triton_repo/tokenizer/1/tokenizer.json")


def main() -> None:
    """Explain texts one after another and print the table."""
    options = _options()
    content = _content.connect()
    texts = _texts(count=options.texts + options.warm, tokens=options.tokens, seed=options.seed)
    words, seconds, numbers = [], [], []
    for text in texts:
        counter = _Counted(content)
        start = time.perf_counter()
        words.append(len(word_contributions(text, probabilities=counter.probabilities)))
        seconds.append(time.perf_counter() - start)
        numbers.append(counter.texts)
    # The first explanations also compile shap's loops; a worker pays that once.
    _print(np.array(seconds[options.warm :]), words[options.warm :], numbers[options.warm :], options=options)
    print(f"first explanation of the process: {seconds[0]:.2f} s")


class _Counted:
    """Counts the texts that an explanation asks about."""

    def __init__(self, content: ContentModel) -> None:
        self._content = content
        self.texts = 0

    def probabilities(self, texts: object) -> np.ndarray:
        rows = list(texts)  # type: ignore[call-overload]  # a sequence of str
        self.texts += len(rows)
        return self._content.probabilities(rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokens", type=int, default=64, help="length of a text")
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--warm", type=int, default=3, help="explanations before the clock counts")
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


def _texts(*, count: int, tokens: int, seed: int) -> list[str]:
    """Join starter texts by chance and cut them at exactly so many tokens, the model's own two among them."""
    chance = random.Random(seed)
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_truncation()
    starter = [example.text for example in dataset.load(OWN_TEXTS[:1]) if example.lang == "en"]
    texts: list[str] = []
    while len(texts) < count:
        text = " ".join(chance.choices(starter, k=2 + tokens // 8))
        end = tokenizer.encode(text).offsets[tokens - 2][1]
        texts.append(text[:end])
    return texts


def _print(seconds: np.ndarray, words: list[int], asked: list[int], *, options: argparse.Namespace) -> None:
    median, late, slowest = np.percentile(seconds, [50, 95, 100])
    print(f"{len(seconds)} texts of {options.tokens} tokens, {os.cpu_count()} cores")
    print(f"words a text: {np.median(words):.0f}")
    print(f"texts asked: median {np.median(asked):.0f}, most {max(asked)}")
    print(f"seconds: median {median:.3f}   p95 {late:.3f}   most {slowest:.3f}")


if __name__ == "__main__":
    main()
