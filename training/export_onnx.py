"""Export a trained content model to ONNX with small weights, and place it with its tokenizer for Triton.

The legacy exporter with eager attention: the only one of the four combinations that allows later graph
fusions.
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scoring.release import file_sha256
from training import model_card, onnx_weights
from training.served_content import SHIPPED

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

log = logging.getLogger(__name__)

MODELS = ("content", "tokenizer", "distilbert")
"""The models of Triton that make up the content model; SHIPPED has others beside them."""
OPSET = 17
MAX_FP32_DIFFERENCE = 1e-4  # logits; the exporter is faithful or it is not
MAX_SMALL_DIFFERENCE = 0.05  # logits; about 0.01 of probability at the steepest point
MAX_BYTES = 80_000_000
# (texts, tokens) that parity is checked on: both ends of both dynamic axes and some padding in between.
PARITY_SHAPES = ((1, 2), (1, 16), (3, 17), (8, 32), (2, 128))


class Unfaithful(RuntimeError):
    """The exported model's output differs from the trained one's, or it is too large to ship."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m training export`."""
    parser.add_argument("--model", type=Path, required=True, help="folder that `content --out` wrote")
    parser.add_argument("--repository", type=Path, required=True, help="Triton's model repository")
    parser.add_argument("--card", type=Path, help="also write the model card here")


def main(arguments: argparse.Namespace) -> None:
    """Run the command: export, check, place; then the card, if asked for."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    metrics = arguments.model / "metrics.json"
    if arguments.card and not metrics.is_file():
        raise SystemExit(
            f"--card: {metrics} is not there; `content` writes it, but not with --from-live: what such a "
            "model gained and lost is in its continued.json"
        )
    summary = export(model_folder=arguments.model, repository=arguments.repository)
    log.info("%s", json.dumps(summary, indent=2))
    if arguments.card:
        model_card.write(model_folder=arguments.model, card=arguments.card)


def export(*, model_folder: Path, repository: Path) -> dict[str, Any]:
    """Write distilbert/1/model.onnx and tokenizer/1/tokenizer.json into the repository; return digest and
    size of the first, and its largest logit differences to torch FP32.

    What else Triton needs and the repository lacks is copied from the shipped one. Nothing is replaced unless
    every check holds. Raises Unfaithful.
    """
    from training import wide_and_deep

    model = wide_and_deep.load(model_folder)
    with tempfile.TemporaryDirectory() as scratch:
        full, small = Path(scratch, "fp32.onnx"), Path(scratch, "small.onnx")
        write_onnx(model, path=full)
        fp32_difference = largest_difference(model, path=full)
        refuse_above(MAX_FP32_DIFFERENCE, fp32_difference, what="FP32 export: a logit")
        onnx_weights.store_compactly(source=full, target=small)
        small_difference = largest_difference(model, path=small)
        refuse_above(MAX_SMALL_DIFFERENCE, small_difference, what="small weights: a logit")
        if small.stat().st_size > MAX_BYTES:
            raise Unfaithful(
                f"model.onnx would be {small.stat().st_size} bytes, at most {MAX_BYTES} are shipped"
            )
        place(small, repository / "distilbert" / "1" / "model.onnx")
    place(model_folder / "tokenizer.json", repository / "tokenizer" / "1" / "tokenizer.json")
    _complete(repository)

    written = repository / "distilbert" / "1" / "model.onnx"
    summary = {
        "sha256": file_sha256(written),
        "bytes": written.stat().st_size,
        "fp32_difference": fp32_difference,
        "small_weights_difference": small_difference,
    }
    (model_folder / "export.json").write_text(json.dumps(summary, indent=2) + "\n")
    return summary


def _complete(repository: Path) -> None:
    for file in (file for model in MODELS for file in (SHIPPED / model).rglob("*")):
        target = repository / file.relative_to(SHIPPED)
        if file.is_file() and file.parent.name != "__pycache__" and not target.exists():
            place(file, target)


def write_onnx(model: PreTrainedModel, *, path: Path) -> None:
    """Trace in FP32: INT32 input_ids and attention_mask [batch, tokens] → FP32 logits [batch, 2] and vector
    [batch, width], the mean of the last states of a text's tokens, of unit length.

    Raises TypeError if the model is no DistilBERT.
    """
    import torch

    ids = torch.ones(2, 16, dtype=torch.int32)
    trace(
        with_vector(model),
        (ids, torch.ones_like(ids)),
        path=path,
        inputs={name: {0: "batch", 1: "tokens"} for name in ("input_ids", "attention_mask")},
        outputs=("logits", "vector"),
    )


def trace(
    module: torch.nn.Module,
    example: tuple[torch.Tensor, ...],
    *,
    path: Path,
    inputs: Mapping[str, dict[int, str]],
    outputs: Sequence[str],
) -> None:
    """Write a module as ONNX; `inputs` name the axes that may vary, the first one of an output always may."""
    import torch

    with warnings.catch_warnings():
        # Tracing warns about everything it might freeze; callers compare both at other shapes.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            example,
            str(path),
            dynamo=False,
            opset_version=OPSET,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={**inputs, **{name: {0: "batch"} for name in outputs}},
        )


def with_vector(model: PreTrainedModel) -> torch.nn.Module:
    """Wrap the model's own modules, nothing copied: (ids, mask) INT32 [n, tokens] → logits and vector.

    Raises TypeError for another architecture than DistilBertForSequenceClassification.
    """
    import torch
    from torch import nn
    from transformers import DistilBertForSequenceClassification

    if not isinstance(model, DistilBertForSequenceClassification):
        raise TypeError(f"expected a DistilBertForSequenceClassification, got {type(model).__name__}")
    model.set_attn_implementation("eager")

    class WithVector(nn.Module):  # type: ignore[misc] # torch has no types here
        def __init__(self) -> None:
            super().__init__()
            # Under their own names, by which served_weights finds them in the file.
            self.distilbert, self.pre_classifier = model.distilbert, model.pre_classifier
            self.classifier, self.wide = model.classifier, getattr(model, "wide", None)

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            # Added to the attention scores: 0 for a token, the lowest number for padding.
            hidden = (1.0 - mask[:, None, None, :].to(torch.float32)) * torch.finfo(torch.float32).min
            states = self.distilbert(ids, hidden).last_hidden_state
            logits = self.classifier(nn.functional.relu(self.pre_classifier(states[:, 0])))
            if self.wide is not None:
                logits = self.wide(logits, ids, mask)
            shares = mask[:, :, None].to(states.dtype)
            # Divided before its length is taken, which FP16 might not hold.
            mean = (states * shares).sum(dim=1) / shares.sum(dim=1)
            return logits, nn.functional.normalize(mean)

    return WithVector().eval()


def largest_difference(model: PreTrainedModel, *, path: Path) -> float:
    """Largest absolute difference of any logit, or number of a vector, between torch FP32 and the file, over
    PARITY_SHAPES.
    """
    inputs = _parity_inputs(vocabulary=int(model.config.vocab_size))
    answers = both_answers(with_vector(model), path=path, inputs=inputs)
    return max(float(np.abs(expected - answer).max()) for expected, answer in answers)


def both_answers(
    module: torch.nn.Module, *, path: Path, inputs: Iterable[Mapping[str, NDArray[Any]]]
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Yield each output of torch and of the file it was exported to, for each of some inputs by name."""
    import onnxruntime
    import torch

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for arrays in inputs:
        with torch.inference_mode():
            expected = module(*map(torch.from_numpy, arrays.values()))
        tensors = (expected,) if isinstance(expected, torch.Tensor) else expected
        for tensor, answer in zip(tensors, session.run(None, dict(arrays)), strict=True):
            yield tensor.numpy(), np.asarray(answer)


def _parity_inputs(*, vocabulary: int) -> Iterator[dict[str, NDArray[np.int32]]]:
    random = np.random.default_rng(0)
    for texts, tokens in PARITY_SHAPES:
        ids = random.integers(0, vocabulary, size=(texts, tokens), dtype=np.int32)
        lengths = random.integers(1, tokens + 1, size=texts)
        mask = (np.arange(tokens) < lengths[:, None]).astype(np.int32)
        yield {"input_ids": ids, "attention_mask": mask}


def refuse_above(limit: float, difference: float, *, what: str) -> None:
    """Raise Unfaithful for what differs by more than the limit."""
    # Written so that NaN is refused too.
    if not difference <= limit:
        raise Unfaithful(f"{what} differs by {difference:.2g} from torch, at most {limit:.2g} is allowed")


def place(source: Path, target: Path) -> None:
    """Replace the file in one step: a server that loads meanwhile sees the old or the new one, never half."""
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_suffix(target.suffix + ".new")
    shutil.copyfile(source, beside)
    beside.replace(target)
