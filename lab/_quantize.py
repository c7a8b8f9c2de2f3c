"""Calibrated INT8 through NNCF, for comparisons with the precisions that are served.

Static: the scales come from texts seen beforehand, never from the batch, so a text's score does not depend on
its batch mates. Dynamic INT8 would be a little faster and is not offered for that reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training import dataset
from training.dataset import Split

CALIBRATION_TEXTS = 300
MAX_TOKENS = 128


def calibration_texts(paths: Sequence[Path], *, count: int, seed: int) -> list[str]:
    """Draw texts of the TRAIN part: what is measured on must not be calibrated on."""
    examples = dataset.part(dataset.read_as_served(dataset.load(paths)), split=Split.TRAIN)
    rows = np.random.default_rng(seed).permutation(len(examples))[:count]
    return [examples[row].text for row in rows]


def quantize(*, source: Path, target: Path, tokenizer: Path, texts: Sequence[str]) -> None:
    """Write the FP32 model at `source` with INT8 weights and activations, scales from `texts`."""
    import nncf
    import onnx

    quantised = nncf.quantize(
        onnx.load(str(source)),
        nncf.Dataset(list(inputs(tokenizer, texts))),
        model_type=nncf.ModelType.TRANSFORMER,
        subset_size=len(texts),
    )
    onnx.save(quantised, str(target))


def inputs(tokenizer: Path, texts: Sequence[str]) -> Iterator[dict[str, NDArray[np.int32]]]:
    """Each text as the model's inputs, a batch of its own without padding: INT32 of shape (1, tokens)."""
    from tokenizers import Tokenizer

    tokens: Any = Tokenizer.from_file(str(tokenizer))
    tokens.no_padding()
    tokens.enable_truncation(MAX_TOKENS)
    for encoding in tokens.encode_batch(list(texts)):
        ids = np.array([encoding.ids], dtype=np.int32)
        yield {"input_ids": ids, "attention_mask": np.ones_like(ids)}
