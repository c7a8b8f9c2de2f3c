"""A content model that answers a little differently: the shipped one with its logit of spam moved."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from deploy.local.places import ROOT

if TYPE_CHECKING:
    import onnx

SHIPPED = ROOT / "triton_repo"
_MODELS = ("content", "tokenizer", "distilbert")


def repository(folder: Path, *, shift: float) -> Path:
    """Copy the shipped model repository to `folder`, add `shift` to the logit of spam; return the folder."""
    import onnx  # noqa: PLC0415 - only here

    for model in _MODELS:
        shutil.copytree(SHIPPED / model, folder / model, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (folder / "distilbert").glob("*/model.onnx"):
        model = onnx.load(path)
        _add_to_bias(model, shift=shift)
        onnx.save(model, path)
    return folder


def _add_to_bias(model: onnx.ModelProto, *, shift: float) -> None:
    """Find the two numbers that are added last, be they behind a cast of FP16 weights, and move them."""
    import numpy as np  # noqa: PLC0415 - only here
    from onnx import numpy_helper  # noqa: PLC0415

    made_by = {name: node for node in model.graph.node for name in node.output}
    names = list(made_by["logits"].input)
    names += [name for one in names if one in made_by for name in made_by[one].input]
    tensor = next(one for one in model.graph.initializer if one.name in names and list(one.dims) == [2])
    bias = numpy_helper.to_array(tensor)
    tensor.CopyFrom(numpy_helper.from_array(bias + np.array([0, shift], dtype=bias.dtype), tensor.name))
