"""An ONNX file whose arithmetic is FP16, for a GPU; inputs stay INT32, logits FP32."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def write(*, source: Path, target: Path) -> None:
    """Convert an exported float file. Numbers beyond FP16's range, such as the mask's, are clamped."""
    import onnx
    from onnxruntime.transformers import float16

    model = onnx.load(str(source))
    with_float_weights(model.graph)
    # Disabled: shape inference would use the old FP32 types.
    half = float16.convert_float_to_float16(model, keep_io_types=True, disable_shape_infer=True)
    onnx.save(half, str(target))


def with_float_weights(graph: Any) -> None:
    """Undo `export_onnx.store_compactly` in place: each weight gets its effective value."""
    import numpy as np
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
            weights = weights * numpy_helper.to_array(tensors[scale])[:, None]
            graph.initializer.remove(tensors[scale])
        tensors[node.input[0]].CopyFrom(numpy_helper.from_array(weights, node.output[0]))
        graph.node.remove(node)
