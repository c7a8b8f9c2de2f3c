"""A TensorRT plan under Triton's Python backend, where the server has no backend for plans.

Takes the place of `platform: tensorrt_plan`: same name, inputs, output, width and batching.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils
from plan import Plan  # type: ignore[import-not-found] # the file beside it

_INPUTS = ("input_ids", "attention_mask")


class TritonPythonModel:
    """input_ids, attention_mask INT32 [n, 128] → logits FP32 [n, 2]."""

    def initialize(self, args: dict[str, str]) -> None:
        """Read this version's model.plan; raises what refuses the load."""
        self.plan = Plan(Path(args["model_repository"], args["model_version"], "model.plan"))

    def execute(self, requests: list[Any]) -> list[Any]:
        """Run all requests as one batch."""
        self.plan.driver.use()
        inputs = [
            {name: pb_utils.get_input_tensor_by_name(request, name).as_numpy() for name in _INPUTS}
            for request in requests
        ]
        batch = {name: np.concatenate([arrays[name] for arrays in inputs]) for name in _INPUTS}
        logits = self.plan.run(batch)["logits"]
        ends = np.cumsum([len(arrays[_INPUTS[0]]) for arrays in inputs])
        return [
            pb_utils.InferenceResponse([pb_utils.Tensor("logits", np.ascontiguousarray(rows))])
            for rows in np.split(logits, ends[:-1])
        ]
