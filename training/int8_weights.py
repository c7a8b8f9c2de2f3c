"""An ONNX file whose large weights are INT8 with a scale for each row or column; arithmetic stays FP32.

A quarter of the bytes of FP32. Scales come from the weights alone, so no texts are needed and a text's answer
does not depend on its batch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SMALLEST_WEIGHT = 4096
_LEVELS = 127


def write(*, source: Path, target: Path) -> None:
    """Convert an exported FP32 file."""
    import onnx

    model = onnx.load(str(source))
    by_row = {name for node in model.graph.node for name in _by_row(node)}
    nodes = [
        _quantised(model.graph, tensor, axis=0 if tensor.name in by_row else 1)
        for tensor in list(model.graph.initializer)
        if _is_weight(tensor)
    ]
    nodes.extend(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, str(target))


def _by_row(node: Any) -> list[str]:
    """Return the node's inputs read by rows: embeddings, and weights that Gemm transposes. OpenVINO computes
    with scales along the axis of the outputs only.
    """
    if node.op_type == "Gather":
        return list(node.input[:1])
    is_transposed = any(attribute.name == "transB" and attribute.i for attribute in node.attribute)
    return list(node.input[1:2]) if node.op_type == "Gemm" and is_transposed else []


def _is_weight(tensor: Any) -> bool:
    from onnx import TensorProto

    return (
        tensor.data_type == TensorProto.FLOAT
        and len(tensor.dims) == 2
        and int(np.prod(tensor.dims)) >= SMALLEST_WEIGHT
    )


def _quantised(graph: Any, tensor: Any, *, axis: int) -> Any:
    """Replace an initialiser by integers and scales; return the node that multiplies them."""
    from onnx import helper, numpy_helper

    name = tensor.name
    weights: NDArray[np.float32] = numpy_helper.to_array(tensor)
    scales = np.abs(weights).max(axis=1 - axis, keepdims=True) / _LEVELS
    scales = np.where(scales > 0, scales, 1).astype(np.float32)
    whole = np.clip(np.rint(weights / scales), -_LEVELS, _LEVELS).astype(np.int8)
    tensor.CopyFrom(numpy_helper.from_array(whole, f"{name}_int8"))
    graph.initializer.append(numpy_helper.from_array(scales.reshape(-1), f"{name}_scale"))
    return helper.make_node(
        "DequantizeLinear", [f"{name}_int8", f"{name}_scale"], [name], name=f"{name}_weights", axis=axis
    )
