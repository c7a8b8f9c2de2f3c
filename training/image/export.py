"""The network as ONNX: normalised pixels in, probabilities of the classes out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from training import export_onnx
from training.export_onnx import Unfaithful

if TYPE_CHECKING:
    from torch import nn

INPUT, OUTPUT = "pixels", "probabilities"
MAX_DIFFERENCE = 1e-3
"""Largest difference of a probability's logarithm between the framework and the file: probabilities of a
thousand classes are too small to compare directly.
"""
_CHECKED_BATCHES = (1, 3)


def with_probabilities(model: nn.Module) -> Any:
    """Return the network with softmax at its end, in evaluation mode."""
    import torch

    return torch.nn.Sequential(model, torch.nn.Softmax(dim=1)).eval()


def write_onnx(model: nn.Module, *, side: int, path: Path) -> float:
    """Write FP32 pixels [batch, 3, side, side] → probabilities; return the largest difference to torch.

    Raises Unfaithful; then the file is there, but not to be used.
    """
    import torch

    whole, example = with_probabilities(model), torch.zeros(2, 3, side, side)
    export_onnx.trace(whole, (example,), path=path, inputs={INPUT: {0: "batch"}}, outputs=(OUTPUT,))
    difference = _largest_difference(whole, side=side, path=path)
    # Written so that NaN is refused too.
    if not difference <= MAX_DIFFERENCE:
        raise Unfaithful(
            f"the logarithm of a probability differs by {difference:.2g} from torch's,"
            f" at most {MAX_DIFFERENCE} is allowed"
        )
    return difference


def _largest_difference(whole: Any, *, side: int, path: Path) -> float:
    random = np.random.default_rng(0)
    sizes = ((batch, 3, side, side) for batch in _CHECKED_BATCHES)
    inputs = ({INPUT: random.normal(size=size).astype(np.float32)} for size in sizes)
    answers = export_onnx.both_answers(whole, path=path, inputs=inputs)
    return max(float(np.abs(np.log(expected) - np.log(answer)).max()) for expected, answer in answers)
