"""ResNet50 with torchvision's weights from its hub or a file, or with random ones from a seed."""

from __future__ import annotations

import functools
import hashlib
import runpy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RANDOM = "random"
HUB = {
    "IMAGENET1K_V1": ("resnet50-0676ba61.pth", 256),
    "IMAGENET1K_V2": ("resnet50-11ad3fa6.pth", 232),
}
"""Weights that torchvision publishes: the file, whose name ends in the beginning of its SHA-256, and the
shorter side of its preprocessing.
"""
HUB_DEFAULT = "IMAGENET1K_V2"
FOR_SPAM = ("not spam", "spam")
"""The classes of a network that tells spam or unsafe pictures from others, in this order."""
SERVED = Path(__file__).resolve().parents[2] / "triton_image"
_HUB_URL = "https://download.pytorch.org/models"
_LABELS = Path(__file__).with_name("imagenet_labels.txt")
_CROP, _MEAN, _DEVIATION = 224, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_WARM_UP_PICTURES, _WARM_UP_SIDE, _WARM_UP_GRAINS = 6, 128, (4, 16, 64)


class NoWeights(RuntimeError):
    """The weights are missing or not a ResNet50's; the message says what to give instead."""


@dataclass(frozen=True, kw_only=True)
class Preprocessing:
    """How a picture becomes pixels: shorter side, middle square, mean and deviation."""

    resize: int
    crop: int = _CROP
    mean: tuple[float, ...] = _MEAN
    deviation: tuple[float, ...] = _DEVIATION


@dataclass(frozen=True, kw_only=True)
class Backbone:
    """A ResNet50 in evaluation mode, its labels, and the origin of its weights in words.

    `is_random` says that it is untrained: its answers mean nothing.
    """

    model: Any
    labels: Sequence[str]
    preprocessing: Preprocessing
    origin: str
    is_random: bool = False


def load(weights: str, *, seed: int = 0, labels: Path | None = None) -> Backbone:
    """Return the network: `weights` is a name of torchvision's hub, a file of a state, or "random".

    `labels` has a name on each line; without it, two classes are those FOR_SPAM, others ImageNet's. Raises
    NoWeights.
    """
    if weights == RANDOM:
        model, origin = _random(seed=seed), f"random, seed {seed}"
    elif weights in HUB:
        model, origin = _with_state(_from_hub(weights)), f"torchvision {weights}"
    else:
        model, origin = _from_file(Path(weights))
    try:
        lines = (labels or _LABELS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as wrong:
        raise NoWeights(f"--labels: {labels} is no text file in UTF-8: {wrong}") from wrong
    names = [name.strip() for name in lines]
    if labels is None and model.fc.out_features == len(FOR_SPAM):
        names = list(FOR_SPAM)
    if len(names) != model.fc.out_features:
        raise NoWeights(
            f"{len(names)} labels for a network of {model.fc.out_features} classes: give --labels"
        )
    _, resize = HUB.get(weights, HUB[HUB_DEFAULT])
    return Backbone(
        model=model.eval(),
        labels=names,
        preprocessing=Preprocessing(resize=resize),
        origin=origin,
        is_random=weights == RANDOM,
    )


def pixels(picture: bytes, *, preprocessing: Preprocessing) -> NDArray[np.float32]:
    """Return [3, side, side] of a file as Triton's step makes it. Raises ValueError for no picture."""
    square = _decoder()(picture, resize=preprocessing.resize, crop=preprocessing.crop)
    mean, deviation = (np.array(part, np.float32) for part in (preprocessing.mean, preprocessing.deviation))
    shares = (np.asarray(square) / np.float32(255) - mean) / deviation
    return np.ascontiguousarray(shares.transpose(2, 0, 1))


@functools.cache
def _decoder() -> Callable[..., Any]:
    decoded: Callable[..., Any] = runpy.run_path(str(SERVED / "pixels" / "1" / "decode.py"))["decoded"]
    return decoded


def _random(*, seed: int) -> Any:
    """Return a network that was never trained.

    Its statistics are taken from blurred noise, as coarse and as fine as pictures are: else it overflows.
    """
    import torch

    from training.image import resnet50

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = resnet50.built(classes=len(_LABELS.read_text(encoding="utf-8").splitlines()))
        for layer in model.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):
                layer.momentum = None  # a mean over all that is seen
        noise = [
            torch.nn.functional.interpolate(torch.randn(_WARM_UP_PICTURES, 3, side, side), size=_WARM_UP_SIDE)
            for side in _WARM_UP_GRAINS
        ]
        with torch.inference_mode():
            model.train()(torch.cat(noise))
    return model


def _from_hub(name: str) -> Any:
    import torch

    url = f"{_HUB_URL}/{HUB[name][0]}"
    try:
        return torch.hub.load_state_dict_from_url(
            url, map_location="cpu", check_hash=True, progress=False, weights_only=True
        )
    except (OSError, RuntimeError) as away:  # no network, no such file, another file than its name says
        raise NoWeights(
            f"{url} cannot be had ({away}): give a file with --weights FILE, or --weights {RANDOM} to try the"
            " path without any that mean something"
        ) from away


def _from_file(path: Path) -> tuple[Any, str]:
    """Load a state with the names of torchvision's ResNet50: .pth by torch without code, or .safetensors."""
    import torch
    from safetensors.torch import load_file

    if not path.is_file():
        raise NoWeights(f"{path} is not a file, nor one of {', '.join([*HUB, RANDOM])}")
    try:
        if path.suffix == ".safetensors":
            state = load_file(path)
        else:
            state = torch.load(path, map_location="cpu", weights_only=True)
        model = _with_state(state)
    except Exception as wrong:  # whatever the file makes its reader raise
        why = f"{type(wrong).__name__}: {wrong}"[:200]
        raise NoWeights(f"{path} holds no state of torchvision's resnet50: {why}") from wrong
    return model, f"{path.name}, SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}"


def _with_state(state: Any) -> Any:
    from training.image import resnet50

    model = resnet50.built(classes=state["fc.weight"].shape[0])
    model.load_state_dict(state)
    return model
