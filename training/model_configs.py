"""Triton's configuration of each model, in every variant of the repository, from one description.

Built as the protobuf messages that Triton itself parses, so that a misspelt field is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
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
    """What differs between variants. `widths`: padded lengths of rows; none: the longest of their request.

    Neither GPU backend pads by itself, and only requests of one shape share a batch.
    """

    model_file: str
    backend: str
    kind: str
    widths: tuple[int, ...]
    comment: str


DESCRIPTIONS = {
    Variant.CPU: Description(
        model_file="model.onnx",
        backend="python",
        kind="KIND_CPU",
        widths=(),
        comment=(
            "DistilBERT with OpenVINO on CPU. On GPU a model of the same name, inputs and outputs takes\n"
            "its place. Ragged: requests of different lengths share a batch; model.py groups the rows by\n"
            "width itself. INFERENCE_PRECISION_HINT auto: bf16 where it is the faster (AMX, or AVX-512\n"
            "on AMD), else f32; a model.onnx that was quantised runs in INT8 whatever it says.\n"
            "INFERENCE_NUM_THREADS 0: as many as the process may use; one instance with every core beats\n"
            "two that share them."
        ),
    ),
    Variant.ONNXRUNTIME_GPU: Description(
        model_file="model.onnx",
        backend="onnxruntime",
        kind="KIND_GPU",
        widths=(16, 32, 64, 128),
        comment="DistilBERT with ONNX Runtime on GPU, FP16; NVIDIA's container brings the backend.",
    ),
    Variant.TENSORRT: Description(
        model_file="model.plan",
        backend="tensorrt",
        kind="KIND_GPU",
        widths=(MAX_TOKENS,),
        comment=(
            "DistilBERT as a TensorRT plan, FP16; `python -m training tensorrt` builds it on the\n"
            "GPU that it will run on. With CUDA graphs, for the batch sizes that Triton captures them for."
        ),
    ),
}
_GENERATED = "Written by `python -m training variants`; change training/model_configs.py instead."


def texts(variant: Variant) -> dict[str, str]:
    """Render the config.pbtxt of each model, by the model's name."""
    description = DESCRIPTIONS[variant]
    files = {
        "tokenizer": (_tokenizer(description), _TOKENIZER_COMMENT),
        "distilbert": (_distilbert(description), f"{description.comment}\n{_DISTILBERT_COMMENT}"),
        "content": (_content(), _CONTENT_COMMENT),
    }
    return {name: rendered(message, comment) for name, (message, comment) in files.items()}


def rendered(message: ModelConfig, comment: str, *, source: str = _GENERATED) -> str:
    """Return a configuration as Triton reads it, under its source and a comment for people."""
    from google.protobuf import text_format

    lines = "".join(f"# {line}\n" for line in [source, *comment.splitlines()])
    return lines + str(text_format.MessageToString(message))


_TOKENIZER_COMMENT = (
    "Text in, token ids out: any client sends plain text. Tokens beyond 128 are cut.\n"
    "No queue delay: batches form by themselves while the instance is busy. WIDTHS: what rows are padded to."
)
_CONTENT_COMMENT = "What clients call: text in, logits and a vector of length 1 out, as asked for."
_TOPICS_COMMENT = (
    "Texts and topics in words in, the probability that a text is about a topic out; topics.json says how."
)
_DISTILBERT_COMMENT = (
    "Class 0 is not spam, class 1 is spam. Priority 1, which is also the default, goes before 2."
)


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


def topics_text() -> str:
    """Render the config.pbtxt of the topics model, which is the same in every variant."""
    inputs: list[_Tensor] = [_TEXT, ("TOPICS", "TYPE_STRING", -1)]
    outputs: list[_Tensor] = [("PROBABILITIES", "TYPE_FP32", -1), ("VECTOR_WEIGHT", "TYPE_FP32", 1)]
    config = _config("topics", backend="python", inputs=inputs, outputs=outputs)
    config.instance_group.add(count=1, kind="KIND_CPU")
    batch_dynamically(config)
    source = "Written by `python -m training topics`; change training/model_configs.py instead."
    return rendered(config, _TOPICS_COMMENT, source=source)


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
