"""Answers to the texts that a content model learned, by trainings that left them out.

`content` writes them beside the model. Fits on top of the content model, on the same texts, use them: the
model itself is too sure of what it learned.
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring.normalise import as_read
from scoring.release import loading
from scoring.trees import Floats
from training import fine_tune
from training.dataset import Example
from training.fine_tune import Recipe

FILE = "held-out.npz"
SHIPPED = Path(__file__).with_name("held_out.npz")
"""The file of the content model that ships."""


def write(path: Path, *, learned: Sequence[str], texts: Sequence[str], answers: Floats) -> None:
    """Store P(spam) of texts as served, float64 (n_texts,), and NaN for other learned texts."""
    by_key = dict.fromkeys((_key(text) for text in learned), np.nan)
    by_key |= dict(zip(map(_key, texts), answers.tolist(), strict=True))
    keys = np.array(sorted(by_key), dtype=np.uint64)
    np.savez_compressed(
        path, keys=keys, spam=np.array([by_key[key] for key in keys.tolist()], dtype=np.float32)
    )


def ask(texts: Sequence[str], *, path: Path, others: Callable[[list[str]], Floats]) -> Floats:
    """Return P(spam) of raw texts, float64 (n_texts,); of those that were not learned, what `others` answers.

    NaN for a text that every training learned. Raises Corrupt, and what `others` raises.
    """
    with loading(path), np.load(path, allow_pickle=False) as archive:
        by_key = dict(zip(archive["keys"].tolist(), archive["spam"].astype(np.float64).tolist(), strict=True))
    keys = [_key(as_read(text).text) for text in texts]
    answers: NDArray[np.float64] = np.array([by_key.get(key, 0.0) for key in keys])
    unseen = [row for row, key in enumerate(keys) if key not in by_key]
    answers[unseen] = others([texts[row] for row in unseen])
    return answers


def of_base(examples: Sequence[Example], *, recipe: Recipe, path: Path | None) -> Floats:
    """Return P(spam) of raw examples, float64 (n_examples,), before the base is trained further on them.

    `path` has what the base's own training left out; what that had not learned, the base answers. Without it
    nothing is known. Raises Corrupt.
    """
    from transformers import AutoTokenizer

    from training import wide_and_deep

    if path is None:
        return np.empty(0)
    model, tokenizer = wide_and_deep.load(Path(recipe.base)), AutoTokenizer.from_pretrained(recipe.base)

    def answer(asked: list[str]) -> Floats:
        served = [as_read(text).text for text in asked]
        return fine_tune.spam_probabilities(model, tokenizer, texts=served, is_bf16=recipe.is_bf16)

    return ask([example.text for example in examples], path=path, others=answer)


def _key(served: str) -> int:
    return int.from_bytes(hashlib.sha256(served.encode("utf-8", "surrogatepass")).digest()[:8], "big")
