"""Processor time of reading a text with one model repository, against another, by turns."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.normalise import normalise
from training import base_model, promise
from training.promise import Row

_WARM_UP = 5


def of_reading(texts: Sequence[str], *, repository: Path, against: Path) -> Row:
    """Measure the ratio of processor time, one text at a time on one thread of ONNX Runtime."""
    readers = [_reader(folder) for folder in (repository, against)]
    for text in texts[:_WARM_UP]:
        for read in readers:
            read(text)
    seconds = np.array([[_seconds(read, text) for read in readers] for text in texts])
    return promise.measured(
        "processor time of reading a text, against the other repository",
        range(len(texts)),
        lambda rows: float(seconds[rows, 0].sum() / seconds[rows, 1].sum()),
        form="{:.2f}",
        most=1.5,
        note=", ".join(f"{1000 * mean:.1f} ms" for mean in seconds.mean(axis=0)),
    )


def _seconds(read: Callable[[str], None], text: str) -> float:
    begun = time.process_time()
    read(text)
    return time.process_time() - begun


def _reader(repository: Path) -> Callable[[str], None]:
    """Return a function that reads a text as the server does, all outputs of the graph."""
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_file(str(_latest(repository, "tokenizer/*/tokenizer.json")))
    tokenizer.enable_truncation(base_model.MAX_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(_latest(repository, "distilbert/*/model.onnx")), options, providers=["CPUExecutionProvider"]
    )

    def read(text: str) -> None:
        encoding = tokenizer.encode(normalise(text).text)
        inputs = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask}
        session.run(None, {name: np.array([values], dtype=np.int32) for name, values in inputs.items()})

    return read


def _latest(repository: Path, pattern: str) -> Path:
    return max(repository.glob(pattern), key=lambda path: int(path.parent.name))
