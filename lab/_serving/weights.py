"""The same weights for both sides: random ones of full size, or those of the shipped ONNX file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def full() -> PreTrainedModel:
    """Make a DistilBERT as published: 6 layers of 768, 66 million weights, all random."""
    import torch
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    torch.manual_seed(0)
    config = DistilBertConfig(attn_implementation="eager")
    return DistilBertForSequenceClassification(config).eval()


def of(path: Path) -> PreTrainedModel:
    """Read the weights of an exported float ONNX file back into torch."""
    import onnx
    import torch
    from transformers import DistilBertConfig

    from training.wide_and_deep import WideAndDeep

    weights = _weights(onnx.load(str(path)).graph)
    vocabulary, dim = weights["distilbert.embeddings.word_embeddings.weight"].shape
    layers = {int(name.split(".")[3]) for name in weights if ".layer." in name}
    config = DistilBertConfig(
        vocab_size=vocabulary,
        dim=dim,
        hidden_dim=len(weights["distilbert.transformer.layer.0.ffn.lin1.bias"]),
        n_layers=len(layers),
        n_heads=12,
        max_position_embeddings=len(weights["distilbert.embeddings.position_embeddings.weight"]),
        attn_implementation="eager",
    )
    model = WideAndDeep(config).eval()
    model.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    return model


def script(model: PreTrainedModel, *, path: Path, device: str = "cpu", is_half: bool = False) -> None:
    """Trace and freeze as TorchScript: INT32 ids and mask [n, tokens] → logits [n, 2].

    On the device that will run it, where the model stays: a trace holds what was made on the device.
    """
    import torch

    model = (model.half() if is_half else model.float()).to(device)

    class Logits(torch.nn.Module):  # type: ignore[misc]  # torch has no types here
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.model(ids, mask).logits
            return logits

    ids = torch.ones((2, 16), dtype=torch.int32, device=device)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what tracing might freeze; the peer is asked at other shapes
        traced = torch.jit.trace(Logits().eval(), (ids, torch.ones_like(ids)))
        torch.jit.freeze(traced).save(str(path))


def _weights(graph: Any) -> dict[str, np.ndarray]:
    """Weights by torch's names. A matrix has lost its own, but the bias added to its product has kept one."""
    from onnx import numpy_helper

    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    made_by = {output: node for node in graph.node for output in node.output}

    def value(name: str) -> np.ndarray | None:
        if name in tensors:
            return np.asarray(tensors[name], dtype=np.float32)
        node = made_by.get(name)
        if node is None or node.op_type != "Cast":
            return None
        return value(node.input[0])

    arrays = {
        name.removesuffix("_fp16"): array.astype(np.float32) if array.dtype == np.float16 else array
        for name, array in tensors.items()
        if name.startswith(("distilbert.", "pre_classifier.", "classifier.", "wide."))
    }
    for node in graph.node:
        bias = next((name for name in node.input if name.endswith(".bias")), None)
        product = next((made_by[name] for name in node.input if name in made_by), None)
        if node.op_type == "Add" and bias and product is not None and product.op_type == "MatMul":
            matrix = value(product.input[1])
            assert matrix is not None, f"{bias} is added to a product of no stored matrix"
            arrays[f"{bias.removesuffix('.bias')}.weight"] = np.ascontiguousarray(matrix.T)
    return arrays
