"""Answers to the texts that a content model learned, by trainings that left them out.

`content` writes them beside the model. Fits on top of the content model, on the same texts, use them: the
model itself is too sure of what it learned.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring.normalise import as_read
from scoring.pipeline import ContentProtocol
from scoring.release import loading
from scoring.trees import Floats
from training import served_content

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


def ask(texts: Sequence[str], *, path: Path, content: ContentProtocol) -> Floats:
    """Return P(spam) of raw texts, float64 (n_texts,), by the served model for those that it did not learn.

    NaN for a text that every training learned. Raises Corrupt, content.Unavailable.
    """
    with loading(path), np.load(path, allow_pickle=False) as archive:
        by_key = dict(zip(archive["keys"].tolist(), archive["spam"].astype(np.float64).tolist(), strict=True))
    keys = [_key(as_read(text).text) for text in texts]
    answers: NDArray[np.float64] = np.array([by_key.get(key, 0.0) for key in keys])
    unseen = [row for row, key in enumerate(keys) if key not in by_key]
    answers[unseen] = served_content.ask([texts[row] for row in unseen], content=content)
    return answers


def _key(served: str) -> int:
    return int.from_bytes(hashlib.sha256(served.encode("utf-8", "surrogatepass")).digest()[:8], "big")
