"""`python -m training weights`: a release's trained weights as safetensors, to train them further.

`model.onnx` holds every weight: large ones as FP16, which FP32 holds exactly, and those of a matrix product
under names that the exporter made up. The calibration is kept apart from the deep half's weights (`wide.deep`
and `wide.bias`), so the weights are read as trained.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from scoring import hosting
from scoring.pins import ContentPin
from scoring.release import MANIFEST, Corrupt, Release, file_sha256
from training import export_onnx, fine_tune, onnx_weights, served_content

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from training.wide_and_deep import WideAndDeep

MAX_DIFFERENCE = 1e-3  # logits, between the file as it is served in FP32 and what was read from it
MODEL_FILE, TOKENIZER_FILE = "distilbert/1/model.onnx", "tokenizer/1/tokenizer.json"
_EMBEDDINGS = "distilbert.embeddings"
_LAYERS = "distilbert.transformer.layer"

Weights = dict[str, NDArray[Any]]


class Unreadable(ValueError):
    """The files hold no content model that `export` wrote in floats; the message says what is missing."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--release", type=Path, required=True, help="folder of a release, or a model repository"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder as `content --out` writes it")


def main(arguments: argparse.Namespace) -> None:
    """Write model.safetensors, its configuration and the tokenizer. Raises Unreadable or Corrupt."""
    model, tokenizer = load(arguments.release, models=served_content.MODELS)
    fine_tune.save(model, tokenizer, out=arguments.out)


def load(folder: Path, *, models: Path) -> tuple[WideAndDeep, PreTrainedTokenizerBase]:
    """Load the pinned model of a release's folder, or a model repository's: both halves, and the tokenizer.

    A release's files are looked for where models are installed (`models`), then in the shipped repository.
    Raises Unreadable or Corrupt.
    """
    from training import base_model

    files = {name: folder / name for name in (MODEL_FILE, TOKENIZER_FILE)}
    if (folder / MANIFEST).is_file():
        pin = Release.load(folder).content
        files = {name: _pinned(name, pin=pin, models=models) for name in files}
    return read(files[MODEL_FILE]), base_model.tokenizer_from_file(files[TOKENIZER_FILE])


def _pinned(name: str, *, pin: ContentPin, models: Path) -> Path:
    """Find a file by the digest that the release pins."""
    hosting.served_name(pin)  # refuses a release from before files were pinned
    step, *rest = Path(name).parts
    places = [Path(models, f"{step}_{pin.digest[:12]}", *rest), served_content.SHIPPED / name]
    for place in places:
        if place.is_file() and file_sha256(place) == pin.files.get(name):
            return place
    raise Corrupt(f"{name}: not as the release pins it, neither {places[0]} nor {places[1]}")


def read(path: Path) -> WideAndDeep:
    """Rebuild the model of an ONNX file; its logits must be those of the file. Raises Unreadable."""
    import torch
    from transformers import DistilBertConfig

    from training.wide_and_deep import WideAndDeep

    graph = _graph(path)
    weights = dict(_weights(graph))
    try:
        sizes = _sizes(weights)
        config = DistilBertConfig(**sizes, n_heads=sizes["dim"] // _head_size(graph), num_labels=2)
    except (KeyError, ValueError) as missing:
        raise Unreadable(f"{path}: holds no weights of a DistilBERT in floats: {missing}") from missing
    model = WideAndDeep(config)
    mismatch = model.load_state_dict(
        {name: torch.from_numpy(array.copy()) for name, array in weights.items()}, strict=False
    )
    if mismatch.missing_keys:
        raise Unreadable(f"{path}: holds no {', '.join(mismatch.missing_keys[:3])}")
    model.eval()
    difference = export_onnx.largest_difference(model, path=path)
    if not difference <= MAX_DIFFERENCE:
        raise Unreadable(f"{path}: a logit of the model read from it differs by {difference:.2g}")
    return model


def has_wide_half(path: Path) -> bool:
    """Return whether an ONNX file holds a wide half beside DistilBERT. Raises Unreadable."""
    return any(tensor.name.startswith("wide.") for tensor in _graph(path).initializer)


def _graph(path: Path) -> Any:
    import onnx
    from google.protobuf.message import DecodeError

    try:
        graph = onnx.load(str(path)).graph
    except (OSError, DecodeError) as wrong:
        raise Unreadable(f"{path}: cannot be read: {wrong}") from wrong
    onnx_weights.with_float_weights(graph)
    return graph


def _weights(graph: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield every weight under its name in torch.

    A matrix has none, is transposed, and its product is added to the bias of the same module.
    """
    from onnx import numpy_helper

    tensors = {tensor.name: tensor for tensor in graph.initializer}
    adds = {name: node for node in graph.node if node.op_type == "Add" for name in node.input}
    for name, tensor in tensors.items():
        if name.startswith(("distilbert.", "pre_classifier.", "classifier.", "wide.")):
            yield name, numpy_helper.to_array(tensor)
    for node in graph.node:
        if node.op_type != "MatMul" or node.input[1] not in tensors or node.output[0] not in adds:
            continue
        for bias in adds[node.output[0]].input:
            if bias.endswith(".bias"):
                matrix = numpy_helper.to_array(tensors[node.input[1]])
                yield f"{bias.removesuffix('bias')}weight", matrix.T


def _sizes(weights: Weights) -> dict[str, int]:
    """Raises KeyError for a model without one of the weights that tell its sizes."""
    vocabulary, width = weights[f"{_EMBEDDINGS}.word_embeddings.weight"].shape
    return {
        "vocab_size": vocabulary,
        "dim": width,
        "max_position_embeddings": len(weights[f"{_EMBEDDINGS}.position_embeddings.weight"]),
        "hidden_dim": len(weights[f"{_LAYERS}.0.ffn.lin1.bias"]),
        "n_layers": sum(
            name.startswith(_LAYERS) and name.endswith(".attention.q_lin.bias") for name in weights
        ),
    }


def _head_size(graph: Any) -> int:
    """Read the width of an attention head from how queries are reshaped: [texts, tokens, heads, size].

    Raises ValueError for a graph without attention.
    """
    from onnx import numpy_helper

    producers = {name: node for node in graph.node for name in node.output}
    for node in graph.node:
        if node.op_type != "Reshape" or producers.get(node.input[0], node).op_type != "Add":
            continue
        shape = producers[node.input[1]]
        if shape.op_type == "Concat" and len(shape.input) == 4:
            return int(numpy_helper.to_array(producers[shape.input[3]].attribute[0].t).item())
    raise ValueError("no attention")
