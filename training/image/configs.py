"""Triton's configuration of the image model's parts, in each variant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from training import model_configs
from training.image.backbone import Preprocessing
from training.model_configs import COMMENTS, DESCRIPTIONS, Variant

if TYPE_CHECKING:
    from tritonclient.grpc.model_config_pb2 import ModelConfig

MODEL, DECODER, NETWORK = "image", "pixels", "resnet50"
"""The model that clients call, and its steps."""
MAX_BATCH = 32
LABELS = "labels.txt"
_VERSION = "1"
_SOURCE = "Written by `python -m training image`; change training/image/configs.py instead."


@dataclass(frozen=True, kw_only=True)
class Served:
    """The properties of a network that configurations need."""

    classes: int
    preprocessing: Preprocessing
    origin: str


def texts(variant: Variant, served: Served) -> dict[str, str]:
    """Render the config.pbtxt of each model, by the model's name."""
    return {
        DECODER: model_configs.rendered(_decoder(served), COMMENTS["pixels"], source=_SOURCE),
        NETWORK: model_configs.rendered(
            _network(variant, served),
            f"Weights: {served.origin}.\n{DESCRIPTIONS[variant].resnet50}",
            source=_SOURCE,
        ),
        MODEL: model_configs.rendered(_ensemble(served), COMMENTS["image"], source=_SOURCE),
    }


def _decoder(served: Served) -> ModelConfig:
    config = _config(DECODER, backend="python")
    config.input.add(name="PICTURE", data_type="TYPE_STRING", dims=[1])
    config.output.add(name="pixels", data_type="TYPE_FP32", dims=_pixels(served))
    config.instance_group.add(count=1, kind="KIND_CPU")
    model_configs.batch_dynamically(config)
    steps = served.preprocessing
    for name, value in {
        "RESIZE": str(steps.resize),
        "CROP": str(steps.crop),
        "MEAN": " ".join(map(str, steps.mean)),
        "STD": " ".join(map(str, steps.deviation)),
    }.items():
        config.parameters[name].string_value = value
    return config


def _network(variant: Variant, served: Served) -> ModelConfig:
    served_on = DESCRIPTIONS[variant]
    config = _config(NETWORK, backend=served_on.backend)
    config.input.add(name="pixels", data_type="TYPE_FP32", dims=_pixels(served))
    config.output.add(name="probabilities", data_type="TYPE_FP32", dims=[served.classes])
    config.instance_group.add(count=1, kind=served_on.kind)
    model_configs.batch_dynamically(config)
    # For people: Triton shows it with the model's configuration.
    config.parameters["WEIGHTS"].string_value = served.origin
    if variant is Variant.CPU:
        config.parameters["INFERENCE_PRECISION_HINT"].string_value = "f32"
        config.parameters["INFERENCE_NUM_THREADS"].string_value = "0"
        return config
    config.default_model_filename = served_on.model_file
    if variant is Variant.TENSORRT:
        config.optimization.cuda.graphs = True
    return config


def _ensemble(served: Served) -> ModelConfig:
    config = _config(MODEL, backend="")
    config.platform = "ensemble"
    config.input.add(name="PICTURE", data_type="TYPE_STRING", dims=[1])
    # In the version's folder: with the weights it is pinned, installed and packed.
    config.output.add(
        name="probabilities",
        data_type="TYPE_FP32",
        dims=[served.classes],
        label_filename=f"{_VERSION}/{LABELS}",
    )
    for model, takes, gives in ((DECODER, "PICTURE", "pixels"), (NETWORK, "pixels", "probabilities")):
        config.ensemble_scheduling.step.add(
            model_name=model, model_version=-1, input_map={takes: takes}, output_map={gives: gives}
        )
    return config


def _pixels(served: Served) -> list[int]:
    return [3, served.preprocessing.crop, served.preprocessing.crop]


def _config(name: str, *, backend: str) -> ModelConfig:
    from tritonclient.grpc import model_config_pb2

    return model_config_pb2.ModelConfig(name=name, backend=backend, max_batch_size=MAX_BATCH)
