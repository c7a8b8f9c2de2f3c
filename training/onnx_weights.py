"""ONNX files with smaller weights: how an export stores them, in FP16 for a GPU, in INT8."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORD_EMBEDDINGS = "word_embeddings.weight"
# Below this an initialiser is a bias, a norm or a shape constant: FP16 would save nothing and cost accuracy.
SMALLEST_WEIGHT = 4096
_LEVELS = 127


def store_compactly(*, source: Path, target: Path) -> None:
    """Store word embeddings as INT8, a scale for each row, other large weights as FP16; all count in FP32.

    A number of a row is off by a 254th of the row's largest at most.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(str(source))
    widened, scales = [], []
    for tensor in model.graph.initializer:
        if tensor.data_type != TensorProto.FLOAT or int(np.prod(tensor.dims)) < SMALLEST_WEIGHT:
            continue
        name, small, weights = tensor.name, f"{tensor.name}_small", numpy_helper.to_array(tensor)
        if name.endswith(WORD_EMBEDDINGS):
            scale = np.maximum(np.abs(weights).max(axis=1), np.finfo(np.float32).tiny) / _LEVELS
            tensor.CopyFrom(numpy_helper.from_array(np.rint(weights / scale[:, None]).astype(np.int8), small))
            scales.append(numpy_helper.from_array(scale.astype(np.float32), f"{name}_scale"))
            node = helper.make_node("DequantizeLinear", [small, f"{name}_scale"], [name], axis=0)
        else:
            tensor.CopyFrom(numpy_helper.from_array(weights.astype(np.float16), small))
            node = helper.make_node("Cast", [small], [name], to=TensorProto.FLOAT)
        widened.append(node)
    model.graph.initializer.extend(scales)
    nodes = [*widened, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, str(target))


def with_float_weights(graph: Any) -> None:
    """Undo `store_compactly` or `write_int8` in place: each weight gets its effective value."""
    from onnx import TensorProto, numpy_helper

    tensors = {tensor.name: tensor for tensor in graph.initializer}
    small = (TensorProto.FLOAT16, TensorProto.INT8)
    widened = [
        node
        for node in graph.node
        if node.op_type in ("Cast", "DequantizeLinear")
        and node.input[0] in tensors
        and tensors[node.input[0]].data_type in small
    ]
    for node in widened:
        weights = numpy_helper.to_array(tensors[node.input[0]]).astype(np.float32)
        for scale in node.input[1:]:
            [axis] = [attribute.i for attribute in node.attribute if attribute.name == "axis"]
            weights = weights * np.expand_dims(numpy_helper.to_array(tensors[scale]), 1 - axis)
            graph.initializer.remove(tensors[scale])
        tensors[node.input[0]].CopyFrom(numpy_helper.from_array(weights, node.output[0]))
        graph.node.remove(node)


def write_half(*, source: Path, target: Path) -> None:
    """Convert an exported float file to FP16 arithmetic, for a GPU; inputs stay INT32, logits FP32.

    Numbers beyond FP16's range, such as the mask's, are clamped.
    """
    import onnx
    from onnxruntime.transformers import float16

    model = onnx.load(str(source))
    with_float_weights(model.graph)
    # Disabled: shape inference would use the old FP32 types.
    half = float16.convert_float_to_float16(model, keep_io_types=True, disable_shape_infer=True)
    onnx.save(half, str(target))


def write_int8(*, source: Path, target: Path) -> None:
    """Convert an exported FP32 file to a quarter of its bytes: large weights become INT8, each row or column
    with a scale of its own, arithmetic stays FP32.

    Scales come from the weights alone, so no texts are needed and a text's answer does not depend on its
    batch.
    """
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
