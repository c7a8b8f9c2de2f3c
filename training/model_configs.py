"""Triton's configuration of each model, in every variant of the repository, from one description.

Built as the protobuf messages that Triton itself parses, so that a misspelt field is an error.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tritonclient.grpc.model_config_pb2 import ModelConfig

MAX_BATCH = 128
MAX_TOKENS = 128
WIDTH = 384
"""The width of a text's vector."""
QUEUED_REQUESTS = 256
QUEUED_MICROSECONDS = 5_000_000
# Scoring asks at the first level, explanations at the last: they wait while a post waits.
PRIORITY_LEVELS = 2


class Variant(StrEnum):
    """Where the repository is served."""

    CPU = "cpu"
    ONNXRUNTIME_GPU = "onnxruntime-gpu"
    TENSORRT = "tensorrt"


class NoModel(Exception):
    """The repository that a variant is made from lacks a file; the message names it."""


@dataclass(frozen=True, kw_only=True)
class Description:
    """What differs between variants, in `model_configs.toml`, with what it says of each network to people.

    `widths`: padded lengths of rows; none: the longest of their request. Neither GPU
    backend pads by itself, and only requests of one shape share a batch.
    """

    model_file: str
    backend: str
    kind: str
    widths: Sequence[int]
    distilbert: str
    resnet50: str


_TABLES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
DESCRIPTIONS = {variant: Description(**_TABLES["variants"][variant]) for variant in Variant}
COMMENTS: dict[str, str] = _TABLES["comments"]
"""What a configuration says to people, by its model."""
_GENERATED = "Written by `python -m training variants`; change training/model_configs.py instead."


def texts(variant: Variant) -> dict[str, str]:
    """Render the config.pbtxt of each model, by the model's name."""
    description = DESCRIPTIONS[variant]
    files = {
        "tokenizer": (_tokenizer(description), COMMENTS["tokenizer"]),
        "distilbert": (_distilbert(description), f"{description.distilbert}\n{COMMENTS['distilbert']}"),
        "content": (_content(), COMMENTS["content"]),
    }
    return {name: rendered(message, comment) for name, (message, comment) in files.items()}


def rendered(message: ModelConfig, comment: str, *, source: str = _GENERATED) -> str:
    """Return a configuration as Triton reads it, under its source and a comment for people."""
    from google.protobuf import text_format

    lines = "".join(f"# {line}\n" for line in [source, *comment.splitlines()])
    return lines + str(text_format.MessageToString(message))


def _tokenizer(description: Description) -> ModelConfig:
    config = _config("tokenizer", backend="python", inputs=[_TEXT], outputs=_TOKENS)
    config.instance_group.add(count=1, kind="KIND_CPU")
    batch_dynamically(config)
    widths = " ".join(map(str, description.widths)) or "longest"
    config.parameters["WIDTHS"].string_value = widths
    return config


def _distilbert(description: Description) -> ModelConfig:
    config = _config("distilbert", backend=description.backend, inputs=_TOKENS, outputs=_ANSWERS)
    config.instance_group.add(count=1, kind=description.kind)
    batch_dynamically(config)
    if description.backend == "python":
        for tensor in config.input:
            tensor.allow_ragged_batch = True
        config.parameters["INFERENCE_PRECISION_HINT"].string_value = "auto"
        config.parameters["INFERENCE_NUM_THREADS"].string_value = "0"
        return config
    config.default_model_filename = description.model_file
    if description.backend == "tensorrt":
        for tensor in config.input:
            tensor.dims[:] = [MAX_TOKENS]
        config.optimization.cuda.graphs = True
    return config


def _content() -> ModelConfig:
    config = _config("content", backend="", inputs=[_TEXT], outputs=_ANSWERS)
    config.platform = "ensemble"
    tokens = {name: name for name, _, _ in _TOKENS}
    for model, takes, gives in (
        ("tokenizer", {"TEXT": "TEXT"}, tokens),
        ("distilbert", tokens, {name: name for name, _, _ in _ANSWERS}),
    ):
        config.ensemble_scheduling.step.add(
            model_name=model, model_version=-1, input_map=takes, output_map=gives
        )
    return config


def encoder_text(name: str, *, inputs: Sequence[str], width: int) -> str:
    """Render the config.pbtxt of the network of the topics model as a TensorRT plan."""
    tokens: list[_Tensor] = [(tensor, "TYPE_INT32", MAX_TOKENS) for tensor in inputs]
    config = _config(name, backend="tensorrt", inputs=tokens, outputs=[("answer", "TYPE_FP32", width)])
    config.default_model_filename = DESCRIPTIONS[Variant.TENSORRT].model_file
    config.instance_group.add(count=1, kind="KIND_GPU")
    return rendered(config, COMMENTS["topics_encoder"])


def topics_text() -> str:
    """Render the config.pbtxt of the topics model, which is the same in every variant."""
    inputs: list[_Tensor] = [_TEXT, ("TOPICS", "TYPE_STRING", -1)]
    outputs: list[_Tensor] = [("PROBABILITIES", "TYPE_FP32", -1), ("VECTOR_WEIGHT", "TYPE_FP32", 1)]
    config = _config("topics", backend="python", inputs=inputs, outputs=outputs)
    config.instance_group.add(count=1, kind="KIND_CPU")
    batch_dynamically(config)
    source = "Written by `python -m training topics`; change training/model_configs.py instead."
    return rendered(config, COMMENTS["topics"], source=source)


_Tensor = tuple[str, str, int]
_TEXT: _Tensor = ("TEXT", "TYPE_STRING", 1)
_TOKENS: list[_Tensor] = [("input_ids", "TYPE_INT32", -1), ("attention_mask", "TYPE_INT32", -1)]
_ANSWERS: list[_Tensor] = [("logits", "TYPE_FP32", 2), ("vector", "TYPE_FP32", WIDTH)]


def _config(name: str, *, backend: str, inputs: list[_Tensor], outputs: list[_Tensor]) -> ModelConfig:
    from tritonclient.grpc import model_config_pb2

    config: Any = model_config_pb2.ModelConfig(name=name, backend=backend, max_batch_size=MAX_BATCH)
    for tensors, described in ((config.input, inputs), (config.output, outputs)):
        for tensor, data_type, size in described:
            tensors.add(name=tensor, data_type=data_type, dims=[size])
    return config


def batch_dynamically(config: ModelConfig) -> None:
    """Let requests of one shape share a batch, the first priority before the second, in a bounded queue.

    Requests whose sender gave up are dropped from it.
    """
    batching = config.dynamic_batching
    batching.priority_levels = PRIORITY_LEVELS
    batching.default_priority_level = 1
    policy = batching.default_queue_policy
    policy.max_queue_size = QUEUED_REQUESTS
    policy.timeout_action = policy.REJECT
    policy.default_timeout_microseconds = QUEUED_MICROSECONDS
    policy.allow_timeout_override = True
