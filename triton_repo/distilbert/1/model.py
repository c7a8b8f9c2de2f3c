"""Triton's DistilBERT step on CPU: OpenVINO over rows grouped by width.

A row's width depends on its own length alone, and arithmetic of one width does not depend on the batch:
a text's logits and vector are the same bits whoever shares its batch. So the latest answers are kept, for all
processes that score: floods repeat a text, and a post that is scored again brings its pages again.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import triton_python_backend_utils as pb_utils

MAX_TOKENS = 128
WIDTH_STEP = 16  # eight widths: few shapes to prepare, little padding
OUTPUTS = ("logits", "vector")
LENGTH_TOLERANCE = 0.05  # BF16 holds three digits
MAX_ROWS = 8  # of one run: more gain nothing on a single core, fewer cost up to half as much again
MOST_RUNS = 8  # side by side, each with memory of its own
MOST_KEPT = 8_192  # answers, 16 MB


class Refused(ValueError):
    """A request that the model cannot answer; its message goes to the client."""


class Late(RuntimeError):
    """Nobody waits any more for what is being computed."""


class Unusable(RuntimeError):
    """model.onnx is missing, is no model, is another kind of model, or answers what is no number."""


class TritonPythonModel:
    """input_ids, attention_mask INT32 [n, tokens] → logits FP32 [n, 2], vector FP32 [n, width]."""

    def initialize(self, args: dict[str, str]) -> None:
        """Compile this version's model.onnx and run every width once, to spare the first caller.

        Raises Unusable, which refuses the load.
        """
        parameters = _parameters(args["model_config"])
        core = openvino.Core()
        model = _loaded(core, Path(args["model_repository"], args["model_version"], "model.onnx"))
        self.vocabulary = _vocabulary(model)
        threads = int(parameters["INFERENCE_NUM_THREADS"]) or len(os.sched_getaffinity(0))
        runs = min(threads, MOST_RUNS)
        # Few rows a core, side by side: cores that share a run wait for each other, for a third of the time.
        self.compiled = core.compile_model(
            model,
            "CPU",
            {
                "INFERENCE_PRECISION_HINT": precision(
                    wanted=parameters["INFERENCE_PRECISION_HINT"], processor=Path("/proc/cpuinfo").read_text()
                ),
                "INFERENCE_NUM_THREADS": threads,
                "NUM_STREAMS": runs,
            },
        )
        self.runs = openvino.AsyncInferQueue(self.compiled, runs)
        self.kept: OrderedDict[bytes, np.ndarray] = OrderedDict()
        request = self.compiled.create_infer_request()
        for width in range(WIDTH_STEP, MAX_TOKENS + 1, WIDTH_STEP):
            ones = np.ones((1, width), dtype=np.int32)
            found = request.infer({"input_ids": ones, "attention_mask": ones})
            _check(*(found[name] for name in OUTPUTS))

    def execute(self, requests: list[Any]) -> list[Any]:
        """Run all requests together; when that fails, one by one, so that only the bad one fails.

        Ends early once each request has been at it for longer than its sender waits.
        """
        waits = [request.timeout() for request in requests]  # microseconds, 0 without a limit
        self.ends_at = time.monotonic() + max(waits) / 1e6 if all(waits) else math.inf
        try:
            return self._answer_together(requests)
        except Late as late:
            return [_refusal(late) for _ in requests]
        except Exception:  # noqa: BLE001 - the edge: an exception here would fail every request of the batch
            return [self._answer_alone(request) for request in requests]

    def _answer_together(self, requests: list[Any]) -> list[Any]:
        inputs = [self._inputs(request) for request in requests]
        counts = [len(ids) for ids, _ in inputs]
        answers = self._grouped(
            np.concatenate([_stretched(ids) for ids, _ in inputs]),
            np.concatenate([_stretched(mask) for _, mask in inputs]),
        )
        rows = np.split(answers, np.cumsum(counts)[:-1])
        return [_response(request, own) for request, own in zip(requests, rows, strict=True)]

    def _answer_alone(self, request: Any) -> Any:
        try:
            return self._answer_together([request])[0]
        except Exception as error:  # noqa: BLE001 - the edge, as above
            return _refusal(error)

    def _inputs(self, request: Any) -> tuple[np.ndarray, np.ndarray]:
        ids = pb_utils.get_input_tensor_by_name(request, "input_ids").as_numpy()
        mask = pb_utils.get_input_tensor_by_name(request, "attention_mask").as_numpy()
        if ids.ndim != 2 or ids.shape != mask.shape:
            raise Refused(f"input_ids {ids.shape} and attention_mask {mask.shape} must both be [n, tokens]")
        if not 1 <= ids.shape[1] <= MAX_TOKENS:
            raise Refused(f"{ids.shape[1]} tokens a row, 1 to {MAX_TOKENS} are allowed")
        if ids.min(initial=0) < 0 or ids.max(initial=0) >= self.vocabulary:
            raise Refused(f"a token id is outside 0..{self.vocabulary - 1}")
        if not mask.any(axis=1).all():
            raise Refused("a row of attention_mask is all zero")
        return ids, mask

    def _grouped(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Run rows of one width together; logits and vector, side by side, in the order of the rows."""
        last_token = MAX_TOKENS - np.argmax(mask[:, ::-1] != 0, axis=1)
        widths = -(-last_token // WIDTH_STEP) * WIDTH_STEP
        keys = [
            sha256(np.stack([ids[row, :end], mask[row, :end]])).digest() for row, end in enumerate(last_token)
        ]
        answers = {key: self.kept[key] for key in keys if key in self.kept}
        for key in answers:
            self.kept.move_to_end(key)
        with self._running() as computed:
            for width in np.unique(widths):
                rows = [row for row in np.flatnonzero(widths == width) if keys[row] not in answers]
                for start in range(0, len(rows), MAX_ROWS):
                    if time.monotonic() > self.ends_at:
                        raise Late("its sender waits no longer")
                    chosen = rows[start : start + MAX_ROWS]
                    inputs = {"input_ids": ids[chosen, :width], "attention_mask": mask[chosen, :width]}
                    self.runs.start_async(inputs, [keys[row] for row in chosen])
        answers |= computed
        return np.stack([answers[key] for key in keys])

    @contextmanager
    def _running(self) -> Iterator[dict[bytes, np.ndarray]]:
        """Give the dictionary that answers to what is started inside are in afterwards, and keep them.

        Also those that were computed until somebody gave up waiting: who asks again finds them.
        """
        computed: dict[bytes, np.ndarray] = {}
        broken: list[Exception] = []

        def take(request: Any, keys: list[bytes]) -> None:
            try:
                parts = [request.get_tensor(name).data for name in OUTPUTS]
                rows = np.concatenate(parts, axis=1)
                computed.update((key, row.copy()) for key, row in zip(keys, rows, strict=True))
            except Exception as error:  # noqa: BLE001 - an exception here would end the process
                broken.append(error)

        self.runs.set_callback(take)
        try:
            yield computed
        finally:
            try:
                self.runs.wait_all()
            except RuntimeError:  # the queue would raise it again for ever
                self.runs = openvino.AsyncInferQueue(self.compiled, len(self.runs))
                raise
            if broken:
                raise broken[0]
            if not all(np.isfinite(answer).all() for answer in computed.values()):
                raise Refused("the model answered a number that is not finite")
            self.kept |= computed
            while len(self.kept) > MOST_KEPT:
                self.kept.popitem(last=False)


def _loaded(core: Any, path: Path) -> Any:
    if not path.is_file():
        raise Unusable(f"distilbert: {path} is missing")
    try:
        model = core.read_model(path)
    except RuntimeError as error:
        raise Unusable(f"distilbert: {path} is not a model: {error}") from error
    inputs = {name for tensor in model.inputs for name in tensor.names}
    outputs = {name for tensor in model.outputs for name in tensor.names}
    if inputs != {"input_ids", "attention_mask"} or not outputs.issuperset(OUTPUTS):
        raise Unusable(f"distilbert: {path} takes {sorted(inputs)} and gives {sorted(outputs)}")
    return model


def _check(logits: np.ndarray, vector: np.ndarray) -> None:
    if logits.shape != (1, 2):
        raise Unusable(f"distilbert: logits of shape {logits.shape} for one text, expected (1, 2)")
    if not (np.isfinite(logits).all() and np.isfinite(vector).all()):
        raise Unusable("distilbert: the model answers a number that is not finite")
    if abs(float(np.linalg.norm(vector)) - 1.0) > LENGTH_TOLERANCE:
        raise Unusable("distilbert: the vector of a text has another length than 1")


def _stretched(rows: np.ndarray) -> np.ndarray:
    """Pad every request to 128 columns, only to stack them; `_grouped` cuts each row to its own width."""
    stretched = np.zeros((len(rows), MAX_TOKENS), dtype=np.int32)
    stretched[:, : rows.shape[1]] = rows
    return stretched


def _refusal(error: Exception) -> Any:
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"distilbert: {error}"))


def _response(request: Any, answers: np.ndarray) -> Any:
    parts = dict(zip(OUTPUTS, np.split(answers, [2], axis=1), strict=True))
    wanted = [name for name in OUTPUTS if name in request.requested_output_names()]
    return pb_utils.InferenceResponse(
        [pb_utils.Tensor(name, np.ascontiguousarray(parts[name])) for name in wanted]
    )


def _parameters(config: str) -> dict[str, str]:
    return {name: str(value["string_value"]) for name, value in json.loads(config)["parameters"].items()}


def _vocabulary(model: Any) -> int:
    """Rows of the largest table in the model, which in a DistilBERT is the word embeddings."""
    tables = [operation for operation in model.get_ordered_ops() if operation.get_type_name() == "Constant"]
    return max(int(table.get_output_shape(0)[0]) for table in tables if len(table.get_output_shape(0)) == 2)


def precision(*, wanted: str, processor: str) -> str:
    """Return what floats are computed in; `processor` is what /proc/cpuinfo says of it.

    "auto" is BF16 where it is faster than FP32: with AMX, and on AMD. Intel's AVX-512 alone is slower in it
    (docs/benchmarks.md). A rule, not a measurement at each load: the same machine must answer the same bits.
    """
    if wanted != "auto":
        return wanted
    words = set(processor.split())
    return "bf16" if "amx_bf16" in words or {"AuthenticAMD", "avx512_bf16"} <= words else "f32"
