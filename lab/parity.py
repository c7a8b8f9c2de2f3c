"""Effect of a precision: each form of the exported model against torch FP32, on labelled texts.

`python -m lab parity`: difference of the logits, agreement of verdicts, change of ROC-AUC.
"""

from __future__ import annotations

import argparse
import logging
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training import dataset, export_onnx, onnx_weights
from training.base_model import MAX_TOKENS
from training.dataset import Example, Split

log = logging.getLogger(__name__)

Floats = NDArray[np.float64]
Infer = Callable[[NDArray[np.int32]], Any]
"""One text's token ids [1, tokens] → logits [1, 2]."""

MAX_FP32_DIFFERENCE = export_onnx.MAX_FP32_DIFFERENCE


@dataclass(frozen=True, kw_only=True)
class Parity:
    """One form against torch FP32. Differences in logits; `agreement`: share of texts on one side of 0.5.

    `auc_change`: ROC-AUC of this form less torch's, by source and over `all`.
    """

    form: str
    bytes: int
    largest_difference: float
    mean_difference: float
    agreement: float
    auc_change: dict[str, float]


def main() -> None:
    """Run the command; exit code 1 if the FP32 export is not faithful."""
    parser = argparse.ArgumentParser(prog="lab parity", description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder that `content --out` wrote")
    parser.add_argument(
        "--data", type=Path, nargs="+", required=True, help="labelled texts; the TEST part is measured"
    )
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parities = measure(model_folder=arguments.model, data=arguments.data)
    for parity in parities:
        log.info("%s", _line(parity))
    faithful = next(row for row in parities if row.form == "fp32")
    if not faithful.largest_difference <= MAX_FP32_DIFFERENCE:
        raise SystemExit(f"the FP32 export differs by {faithful.largest_difference:.2g} in a logit")


def measure(*, model_folder: Path, data: Sequence[Path]) -> list[Parity]:
    """Export every form into a scratch folder and compare it on the TEST part, one text at a time."""
    from training import wide_and_deep

    model = wide_and_deep.load(model_folder)
    examples = dataset.part(dataset.read_as_served(dataset.load(data)), split=Split.TEST)
    rows = list(_inputs(model_folder / "tokenizer.json", [example.text for example in examples]))
    expected = _answers(_torch(model), rows)
    with tempfile.TemporaryDirectory() as scratch:
        forms = _forms(model, scratch=Path(scratch))
        return [
            _compare(
                examples, expected=expected, found=_answers(infer, rows), form=form, size=path.stat().st_size
            )
            for form, path, infer in forms
        ]


def _forms(model: Any, *, scratch: Path) -> Iterator[tuple[str, Path, Infer]]:
    """Each form: its name, its file, and a function that runs it as it is served."""
    full, small, half = (scratch / f"{name}.onnx" for name in ("full", "small", "half"))
    export_onnx.write_onnx(model, path=full)
    onnx_weights.store_compactly(source=full, target=small)
    onnx_weights.write_half(source=small, target=half)
    yield "fp32", full, _onnxruntime(full)
    yield "fp32 with fp16 weights", small, _openvino(small, precision="f32")
    if _has_bf16():
        yield "bf16", small, _openvino(small, precision="bf16")
    yield "fp16", half, _onnxruntime(half)


def _inputs(tokenizer: Path, texts: Sequence[str]) -> Iterator[dict[str, NDArray[np.int32]]]:
    """Each text as the model's inputs, a batch of its own without padding: INT32 of shape (1, tokens)."""
    from tokenizers import Tokenizer

    tokens: Any = Tokenizer.from_file(str(tokenizer))
    tokens.no_padding()
    tokens.enable_truncation(MAX_TOKENS)
    for encoding in tokens.encode_batch(list(texts)):
        ids = np.array([encoding.ids], dtype=np.int32)
        yield {"input_ids": ids, "attention_mask": np.ones_like(ids)}


def _torch(model: Any) -> Infer:
    import torch

    def infer(ids: NDArray[np.int32]) -> Any:
        with torch.inference_mode():
            return model(torch.from_numpy(ids), torch.ones(ids.shape, dtype=torch.int32)).logits.numpy()

    return infer


def _onnxruntime(path: Path) -> Infer:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return lambda ids: session.run(["logits"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]


def _openvino(path: Path, *, precision: str) -> Infer:
    import openvino

    core = openvino.Core()
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": precision}
    request = core.compile_model(core.read_model(path), "CPU", settings).create_infer_request()
    return lambda ids: request.infer({"input_ids": ids, "attention_mask": np.ones_like(ids)})["logits"]


def _has_bf16() -> bool:
    import openvino

    return "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def _answers(infer: Infer, rows: Sequence[dict[str, NDArray[np.int32]]]) -> Floats:
    return np.concatenate([np.array(infer(row["input_ids"]), dtype=np.float64) for row in rows])


def _compare(examples: Sequence[Example], *, expected: Floats, found: Floats, form: str, size: int) -> Parity:
    difference = np.abs(found - expected)
    verdicts, others = _spam(expected) >= 0.5, _spam(found) >= 0.5
    return Parity(
        form=form,
        bytes=size,
        largest_difference=float(difference.max()),
        mean_difference=float(difference.mean()),
        agreement=float((verdicts == others).mean()),
        auc_change=_auc_change(examples, expected=_spam(expected), found=_spam(found)),
    )


def _auc_change(examples: Sequence[Example], *, expected: Floats, found: Floats) -> dict[str, float]:
    labels = np.array([example.label for example in examples], dtype=np.float64)
    sources = np.array([example.source for example in examples])
    masks = {name: sources == name for name in sorted(set(sources))} | {
        "all": np.ones(len(labels), dtype=bool)
    }
    return {
        str(name): _roc_auc(labels[rows], found[rows]) - _roc_auc(labels[rows], expected[rows])
        for name, rows in masks.items()
    }


def _roc_auc(labels: Floats, probabilities: Floats) -> float:
    """ROC-AUC; NaN without both classes."""
    from sklearn.metrics import roc_auc_score

    if labels.min() == labels.max():
        return math.nan
    return float(roc_auc_score(labels, probabilities))


def _spam(logits: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(logits[:, 0] - logits[:, 1])), dtype=np.float64)


def _line(parity: Parity) -> str:
    changes = "  ".join(f"{source} {change:+.4f}" for source, change in parity.auc_change.items())
    return (
        f"{parity.form:<24}{parity.bytes / 1e6:>7.1f} MB"
        f"  logits differ by {parity.largest_difference:.2g} at most,"
        f" {parity.mean_difference:.2g} in the mean;"
        f" agreement {parity.agreement:.4f}; ROC-AUC change: {changes}"
    )
