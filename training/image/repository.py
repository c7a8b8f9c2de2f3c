"""The image model's part of a model repository for Triton, and its variants for a GPU.

The network is kept as ONNX: normalised pixels in, probabilities of the classes out.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from training import export_onnx, onnx_weights, plan_recipe
from training.image import configs
from training.image.backbone import SERVED, Backbone
from training.image.configs import CONFIG, DECODER, LABELS, MODEL, NETWORK
from training.model_configs import NoModel, Variant
from training.plan_recipe import Network, Profile

if TYPE_CHECKING:
    from torch import nn

ABOUT = "image.json"
"""Beside the models: origin of the weights, and measurements."""
ONNX = "model.onnx"
MAX_DIFFERENCE = 1e-3
"""Largest difference of a probability's logarithm between the framework and the file: probabilities of a
thousand classes are too small to compare directly.
"""
_CHECKED_BATCHES = (1, 3)
PROFILE = Profile(opt=8, max=configs.MAX_BATCH)
_PARTS = (DECODER, NETWORK, MODEL)
COMPILED = shutil.ignore_patterns("__pycache__")


def write(backbone: Backbone, *, out: Path) -> dict[str, Any]:
    """Write the models image, pixels and resnet50 into a repository, which may hold others already.

    Return the content of image.json, facts about the network. Nothing is replaced unless the
    exported file agrees with the framework. Raises export_onnx.Unfaithful.
    """
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as scratch:
        folder = Path(scratch)
        for name, text in configs.texts(backbone).items():
            shutil.copytree(SERVED / name, folder / name, ignore=COMPILED)
            (folder / name / CONFIG).write_text(text, encoding="utf-8")
        difference = write_onnx(
            backbone.model, side=backbone.preprocessing.crop, path=folder / NETWORK / "1" / ONNX
        )
        labels = "".join(f"{label}\n" for label in backbone.labels)
        (folder / MODEL / "1" / LABELS).write_text(labels, encoding="utf-8")
        for name in _PARTS:
            shutil.rmtree(out / name, ignore_errors=True)
            (folder / name).rename(out / name)
    facts = {"weights": backbone.origin, "largest_difference": difference}
    (out / ABOUT).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    return facts


def with_probabilities(model: nn.Module) -> Any:
    """Return the network, pixels in and probabilities out, in evaluation mode."""
    from torch import Tensor, nn

    class Probabilities(nn.Module):  # type: ignore[misc] # torch has no types here
        def __init__(self) -> None:
            super().__init__()
            self.network = model

        def forward(self, given: Tensor) -> Tensor:
            probabilities: Tensor = self.network(given).logits.softmax(dim=1)
            return probabilities

    return Probabilities().eval()


def write_onnx(model: nn.Module, *, side: int, path: Path) -> float:
    """Write FP32 pixels [batch, 3, side, side] → probabilities; return the largest difference to torch.

    Raises Unfaithful; then the file is there, but not to be used.
    """
    import torch

    whole, example = with_probabilities(model), torch.zeros(2, 3, side, side)
    export_onnx.trace(
        whole, (example,), path=path, inputs={"pixels": {0: "batch"}}, outputs=("probabilities",)
    )
    difference = _largest_difference(whole, side=side, path=path)
    export_onnx.refuse_above(MAX_DIFFERENCE, difference, what="the logarithm of a probability")
    return difference


def _largest_difference(whole: Any, *, side: int, path: Path) -> float:
    random = np.random.default_rng(0)
    sizes = ((batch, 3, side, side) for batch in _CHECKED_BATCHES)
    inputs = ({"pixels": random.normal(size=size).astype(np.float32)} for size in sizes)
    answers = export_onnx.both_answers(whole, path=path, inputs=inputs)
    return max(float(np.abs(np.log(expected) - np.log(answer)).max()) for expected, answer in answers)


def write_variant(*, variant: Variant, repository: Path, out: Path) -> None:
    """Write the image model of a repository in another variant below `out`.

    It has no TensorRT plan, but the recipe to build it on the GPU. Raises NoModel.
    """
    source = repository / NETWORK / "1" / ONNX
    for path in (source, repository / MODEL / "1" / LABELS):
        if not path.is_file():
            raise NoModel(f"{path} is missing: write it by `python -m training image`")
    for name in _PARTS:
        shutil.copytree(repository / name, out / name, ignore=COMPILED, dirs_exist_ok=True)
    if variant is Variant.CPU:
        return
    network = out / NETWORK
    (network / "1" / "model.py").unlink()  # what serves it on CPU
    (network / CONFIG).write_text(configs.on_card(configs.read(network), variant), encoding="utf-8")
    onnx_weights.write_half(source=source, target=network / "1" / ONNX)
    if variant is Variant.TENSORRT:
        plan_recipe.write(network / "1", network=pictures(repository), profile=PROFILE)


def pictures(repository: Path) -> Network:
    """Return the inputs of a plan of a repository's network."""
    row = tuple(configs.read(repository / NETWORK).input[0].dims)
    return Network(name=NETWORK, inputs=("pixels",), row=row)
