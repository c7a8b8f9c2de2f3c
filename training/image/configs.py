"""Triton's configuration of the image model's parts: that of `triton_image`, for one network and variant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from training import model_configs
from training.image.backbone import SERVED, Backbone
from training.model_configs import COMMENTS, DESCRIPTIONS, Variant

MODEL, DECODER, NETWORK = "image", "pixels", "resnet50"
"""The model that clients call, and its steps."""
MAX_BATCH = 32
LABELS = "labels.txt"
CONFIG = "config.pbtxt"
_SOURCE = "Written by `python -m training image` from triton_image."
_ON_CPU_ONLY = ("INFERENCE_PRECISION_HINT", "INFERENCE_NUM_THREADS")


def texts(backbone: Backbone) -> dict[str, str]:
    """Render the config.pbtxt of each model as served on CPU, by the model's name."""
    decoder, network, model = (read(SERVED / name) for name in (DECODER, NETWORK, MODEL))
    steps = backbone.preprocessing
    for tensor in (decoder.output[0], network.input[0]):
        tensor.dims[:] = [3, steps.crop, steps.crop]
    for tensor in (network.output[0], model.output[0]):
        tensor.dims[:] = [len(backbone.labels)]
    for name, numbers in {
        "RESIZE": [steps.resize],
        "CROP": [steps.crop],
        "MEAN": steps.mean,
        "STD": steps.deviation,
    }.items():
        decoder.parameters[name].string_value = " ".join(map(str, numbers))
    # For people: Triton shows it with the model's configuration.
    network.parameters["WEIGHTS"].string_value = backbone.origin
    for config in (decoder, network):
        model_configs.batch_dynamically(config)
    return {
        DECODER: model_configs.rendered(decoder, COMMENTS["pixels"], source=_SOURCE),
        NETWORK: _rendered(network, Variant.CPU),
        MODEL: model_configs.rendered(model, COMMENTS["image"], source=_SOURCE),
    }


def on_card(network: Any, variant: Variant) -> str:
    """Render the configuration of a network that is served on CPU for a GPU."""
    described = DESCRIPTIONS[variant]
    network.backend, network.default_model_filename = described.backend, described.model_file
    del network.instance_group[:]
    network.instance_group.add(count=1, kind=described.kind)
    for name in _ON_CPU_ONLY:
        del network.parameters[name]
    if variant is Variant.TENSORRT:
        network.optimization.cuda.graphs = True
    return _rendered(network, variant)


def read(folder: Path) -> Any:
    """Return the configuration in a model's folder."""
    from google.protobuf import text_format
    from tritonclient.grpc import model_config_pb2

    return text_format.Parse((folder / CONFIG).read_text(encoding="utf-8"), model_config_pb2.ModelConfig())


def _rendered(network: Any, variant: Variant) -> str:
    origin = network.parameters["WEIGHTS"].string_value
    comment = f"Weights: {origin}.\n{DESCRIPTIONS[variant].resnet50}"
    return model_configs.rendered(network, comment, source=_SOURCE)
