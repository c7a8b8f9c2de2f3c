"""ResNet50 as transformers has it, with weights from a folder or from Hugging Face's hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT = "microsoft/resnet-50"
SERVED = Path(__file__).resolve().parents[2] / "triton_image"


class NoWeights(RuntimeError):
    """The weights are missing or not a ResNet's; the message says what to give instead."""


@dataclass(frozen=True, kw_only=True)
class Preprocessing:
    """How a picture becomes pixels: shorter side, middle square, mean and deviation."""

    resize: int
    crop: int
    mean: tuple[float, ...] = (0.485, 0.456, 0.406)
    deviation: tuple[float, ...] = (0.229, 0.224, 0.225)


@dataclass(frozen=True, kw_only=True)
class Backbone:
    """A ResNet in evaluation mode, its labels, and the origin of its weights in words."""

    model: Any
    labels: Sequence[str]
    preprocessing: Preprocessing
    origin: str


def load(weights: str) -> Backbone:
    """Return the network of a folder as `save_pretrained` writes it, or of that name at the hub.

    Raises NoWeights.
    """
    from transformers import ResNetForImageClassification
    from transformers.image_processing_base import ImageProcessingMixin

    only_here = {"local_files_only": Path(weights).is_dir()}
    try:
        model, told = ResNetForImageClassification.from_pretrained(
            weights, output_loading_info=True, use_safetensors=True, **only_here
        )
        steps, _ = ImageProcessingMixin.get_image_processor_dict(weights, **only_here)
        preprocessing = _preprocessing(steps)
    except (OSError, ValueError, LookupError, TypeError, RuntimeError) as wrong:
        why = " ".join(f"{type(wrong).__name__}: {wrong}".split())[:200]
        raise NoWeights(
            f"{weights} is no ResNet of the hub or in a folder (config.json, model.safetensors,"
            f" preprocessor_config.json): {why}"
        ) from wrong
    if absent := sorted(told["missing_keys"]):
        raise NoWeights(f"{weights} lacks {len(absent)} weights of a ResNet, {absent[0]} among them")
    labels = [str(model.config.id2label[place]) for place in range(model.config.num_labels)]
    revision = getattr(model.config, "_commit_hash", None)
    origin = f"{weights}, revision {revision}" if revision else Path(weights).name
    return Backbone(model=model.eval(), labels=labels, preprocessing=preprocessing, origin=origin)


def _preprocessing(steps: Mapping[str, Any]) -> Preprocessing:
    """Read what the hub keeps beside weights. Sizes are numbers or named; `crop_pct` is the part kept."""
    side = _side(steps["size"])
    return Preprocessing(
        resize=int(side / steps.get("crop_pct", 1)),
        crop=_side(steps.get("crop_size", side)),
        mean=tuple(map(float, steps["image_mean"])),
        deviation=tuple(map(float, steps["image_std"])),
    )


def _side(size: int | Mapping[str, int]) -> int:
    return size if isinstance(size, int) else int(size.get("shortest_edge") or size["height"])
