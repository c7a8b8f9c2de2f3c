"""How to build a TensorRT plan from the graph beside it, and its expected answers: `plan.json`.

A plan holds code for one kind of GPU and one version of TensorRT, so it is built where it is served: by
`python -m training tensorrt`, or by the Triton image at its first start (deploy/serve_plans.py).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.model_configs import MAX_BATCH, MAX_TOKENS

GRAPH, RECIPE = "model.onnx", "plan.json"

Inputs = Mapping[str, NDArray[np.int32]]


@dataclass(frozen=True)
class Profile:
    """Rows in a batch that a plan is built for, a text of 128 tokens or a picture each; fastest at `opt`."""

    min: int = 1
    opt: int = 16
    max: int = MAX_BATCH


@dataclass(frozen=True, kw_only=True)
class Network:
    """The network of a plan: its place in a repository, its inputs, and the shape of a row of each."""

    name: str
    inputs: tuple[str, ...]
    row: tuple[int, ...]

    def shapes(self, rows: int) -> str:
        """Return the shapes of this many rows, as trtexec reads them."""
        shape = "x".join(map(str, (rows, *self.row)))
        return ",".join(f"{name}:{shape}" for name in self.inputs)

    def arguments(self, profile: Profile) -> list[str]:
        """Return trtexec's arguments beside the files: FP16, the inputs in the profile's three shapes."""
        return [
            f"--minShapes={self.shapes(profile.min)}",
            f"--optShapes={self.shapes(profile.opt)}",
            f"--maxShapes={self.shapes(profile.max)}",
            "--fp16",
        ]


TEXTS = Network(name="distilbert", inputs=("input_ids", "attention_mask"), row=(MAX_TOKENS,))
TOPICS = "topics_encoder"  # the network of the model `topics`, which asks it by this name


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Rows that a plan is asked, INT32 by input, and the FP32 model's P(spam) of each."""

    asked: Inputs
    probabilities: Sequence[float]


def write(folder: Path, *, network: Network, profile: Profile, answers: Answers | None = None) -> None:
    """Write the recipe of the graph in a version folder; without answers only the build is described."""
    recipe: dict[str, object] = {"arguments": network.arguments(profile)}
    if answers is not None:
        recipe["answers"] = {
            "shapes": network.shapes(len(answers.probabilities)),
            "inputs": {name: rows.ravel().tolist() for name, rows in answers.asked.items()},
            "probabilities": list(answers.probabilities),
        }
    (folder / RECIPE).write_text(json.dumps(recipe) + "\n", encoding="utf-8")
