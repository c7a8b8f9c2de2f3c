"""Effect of a precision: each form of the exported model against torch FP32, on labelled texts.

`python -m lab parity`: difference of the logits, agreement of verdicts.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training import dataset, export_onnx, onnx_weights
from training.base_model import MAX_TOKENS
from training.dataset import Split

Inputs = dict[str, NDArray[np.int32]]
Infer = Callable[[Inputs], Any]
"""One text's tokens → logits [1, 2]."""


@dataclass(frozen=True, kw_only=True)
class Parity:
    """One form against torch FP32. Differences in logits; `agreement`: share of texts on one side of 0.5."""

    form: str
    bytes: int
    largest_difference: float
    mean_difference: float
    agreement: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--model", type=Path, required=True, help="folder that `content --out` wrote")
    parser.add_argument(
        "--data", type=Path, nargs="+", required=True, help="labelled texts; the TEST part is measured"
    )


def main(options: argparse.Namespace) -> None:
    """Print a line for each form."""
    for parity in measure(model_folder=options.model, data=options.data):
        differences = f"{parity.largest_difference:.2g} at most, {parity.mean_difference:.2g} in the mean"
        print(
            f"{parity.form:<24}{parity.bytes / 1e6:>7.1f} MB  logits differ by {differences};"
            f" agreement {parity.agreement:.4f}"
        )


def measure(*, model_folder: Path, data: Sequence[Path]) -> list[Parity]:
    """Export every form into a scratch folder and compare it on the TEST part, one text at a time."""
    from training import wide_and_deep

    model = wide_and_deep.load(model_folder)
    examples = dataset.part(dataset.read_as_served(dataset.load(data)), split=Split.TEST)
    rows = list(_inputs(model_folder / "tokenizer.json", [example.text for example in examples]))
    expected = _answers(_torch(model), rows)
    with tempfile.TemporaryDirectory() as scratch:
        return [
            _compare(expected, _answers(infer, rows), form=form, size=path.stat().st_size)
            for form, path, infer in _forms(model, scratch=Path(scratch))
        ]


def _inputs(tokenizer: Path, texts: Sequence[str]) -> Iterator[Inputs]:
    """Each text as the model's inputs, a batch of its own without padding: INT32 of shape (1, tokens)."""
    from tokenizers import Tokenizer

    tokens: Any = Tokenizer.from_file(str(tokenizer))
    tokens.no_padding()
    tokens.enable_truncation(MAX_TOKENS)
    for encoding in tokens.encode_batch(list(texts)):
        ids = np.array([encoding.ids], dtype=np.int32)
        yield {"input_ids": ids, "attention_mask": np.ones_like(ids)}


def _answers(infer: Infer, rows: Sequence[Inputs]) -> NDArray[np.float64]:
    return np.concatenate([np.array(infer(row), dtype=np.float64) for row in rows])


def _torch(model: Any) -> Infer:
    import torch

    def infer(row: Inputs) -> Any:
        with torch.inference_mode():
            return model(*map(torch.from_numpy, row.values())).logits.numpy()

    return infer


def _forms(model: Any, *, scratch: Path) -> Iterator[tuple[str, Path, Infer]]:
    """Each form: its name, its file, and a function that runs it as it is served."""
    import openvino

    full, small, half = (scratch / f"{name}.onnx" for name in ("full", "small", "half"))
    export_onnx.write_onnx(model, path=full)
    onnx_weights.store_compactly(source=full, target=small)
    onnx_weights.write_half(source=small, target=half)
    yield "fp32", full, _onnxruntime(full)
    yield "fp32 with fp16 weights", small, _openvino(small, precision="f32")
    if "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        yield "bf16", small, _openvino(small, precision="bf16")
    yield "fp16", half, _onnxruntime(half)


def _onnxruntime(path: Path) -> Infer:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return lambda row: session.run(["logits"], row)[0]


def _openvino(path: Path, *, precision: str) -> Infer:
    import openvino

    core = openvino.Core()
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": precision}
    request = core.compile_model(core.read_model(path), "CPU", settings).create_infer_request()
    return lambda row: request.infer(row)["logits"]


def _compare(expected: NDArray[np.float64], found: NDArray[np.float64], *, form: str, size: int) -> Parity:
    difference = np.abs(found - expected)
    verdicts, others = expected[:, 1] >= expected[:, 0], found[:, 1] >= found[:, 0]
    return Parity(
        form=form,
        bytes=size,
        largest_difference=float(difference.max()),
        mean_difference=float(difference.mean()),
        agreement=float((verdicts == others).mean()),
    )
