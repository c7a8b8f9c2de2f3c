"""Triton's ResNet50 step on CPU: OpenVINO, a picture at a time.

So a picture's answer is the same bits whoever shares its batch; on CPU a larger batch is not faster anyway.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import triton_python_backend_utils as pb_utils


class Unusable(RuntimeError):
    """model.onnx is missing, is no model, or is another kind of model."""


class TritonPythonModel:
    """pixels FP32 [n, 3, side, side] → probabilities FP32 [n, classes]."""

    def initialize(self, args: dict[str, str]) -> None:
        """Compile this version's model.onnx and run it once. Raises Unusable, which refuses the load."""
        config = json.loads(args["model_config"])
        given = {name: str(value["string_value"]) for name, value in config["parameters"].items()}
        self.shape = tuple(int(size) for size in config["input"][0]["dims"])
        self.classes = int(config["output"][0]["dims"][0])
        core = openvino.Core()
        model = _loaded(core, Path(args["model_repository"], args["model_version"], "model.onnx"))
        model.reshape([1, *self.shape])
        options = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": given["INFERENCE_PRECISION_HINT"],
            "INFERENCE_NUM_THREADS": int(given["INFERENCE_NUM_THREADS"]) or len(os.sched_getaffinity(0)),
        }
        self.infer_request = core.compile_model(model, "CPU", options).create_infer_request()
        found = self._probabilities(np.zeros((1, *self.shape), dtype=np.float32)).shape
        if found != (1, self.classes):
            raise Unusable(f"resnet50: gives {found} for one picture, its configuration says {self.classes}")

    def execute(self, requests: list[Any]) -> list[Any]:
        """Answer every request by itself."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Any) -> Any:
        try:
            pixels = pb_utils.get_input_tensor_by_name(request, "pixels").as_numpy()
            found = _finite(np.concatenate([self._probabilities(row[None]) for row in pixels]))
        except Exception as error:  # noqa: BLE001 - the edge: an exception here would fail the whole batch
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"resnet50: {error}"))
        return pb_utils.InferenceResponse([pb_utils.Tensor("probabilities", found)])

    def _probabilities(self, pixels: np.ndarray) -> np.ndarray:
        answer = self.infer_request.infer({"pixels": np.ascontiguousarray(pixels)})
        return np.array(answer["probabilities"])  # a copy: the next picture overwrites it


def _finite(probabilities: np.ndarray) -> np.ndarray:
    if not np.isfinite(probabilities).all():
        raise ValueError("the model answered a number that is not finite")
    return probabilities


def _loaded(core: Any, path: Path) -> Any:
    if not path.is_file():
        raise Unusable(f"resnet50: {path} is missing")
    try:
        model = core.read_model(path)
    except RuntimeError as error:
        raise Unusable(f"resnet50: {path} is not a model: {error}") from error
    inputs = {name for tensor in model.inputs for name in tensor.names}
    outputs = {name for tensor in model.outputs for name in tensor.names}
    if inputs != {"pixels"} or "probabilities" not in outputs:
        raise Unusable(f"resnet50: {path} takes {sorted(inputs)} and gives {sorted(outputs)}")
    return model
