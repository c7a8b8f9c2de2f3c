"""Releases for tests: the shipped one with parts replaced, and content models that answer differently."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from deploy.local.places import ROOT
from scoring import hosting
from scoring.release import MANIFEST, Release
from tests.scoring.starter import STARTER

REPOSITORY = ROOT / "triton_repo"
MODELS = ("content", "tokenizer", "distilbert")


def repository(folder: Path, *, shift: float) -> Path:
    """Copy the shipped model repository; `shift` is added to the logit of spam."""
    for model in MODELS:
        shutil.copytree(REPOSITORY / model, folder / model, ignore=shutil.ignore_patterns("__pycache__"))
    path = folder / "distilbert" / "1" / "model.onnx"
    model = onnx.load(path)
    producers = {output: node for node in model.graph.node for output in node.output}
    _add_to_bias(model, last=producers["logits"], producers=producers, shift=shift)
    onnx.save(model, path)
    return folder


def release(folder: Path, *, models: Path = REPOSITORY, **changes: Any) -> Release:
    """Write the shipped release anew, pinning the content model in `models`; `changes` replace parts."""
    shutil.copytree(STARTER, folder)
    manifest = json.loads((folder / MANIFEST).read_text())
    pins = hosting.pinned_files(models, model="content", version="1")
    manifest["content"] = {"model": "content", "version": "1", "files": pins}
    (folder / MANIFEST).write_text(json.dumps(manifest | changes))
    return Release.load(folder)


def report(*, candidate: Release, live: Release, **changes: Any) -> dict[str, Any]:
    """Return a report in which the candidate is as good as the live release; `changes` replace parts."""
    return {
        "format": 1,
        "candidate": {"id": candidate.id},
        "live": {"id": live.id},
        "slices": [{"by": "all", "name": "all", "rows": 100, "is_gated": True, "metrics": {}}],
        "robustness": [],
        "latency": {"live_p95_ms": 5.0, "candidate_p95_ms": 5.0},
    } | changes


def _add_to_bias(model: onnx.ModelProto, *, last: Any, producers: Any, shift: float) -> None:
    """Find the two numbers that are added last, be they behind a cast of FP16 weights, and move them."""
    names = list(last.input)
    names += [name for one in last.input if one in producers for name in producers[one].input]
    for tensor in model.graph.initializer:
        if tensor.name in names and list(tensor.dims) == [2]:
            bias = numpy_helper.to_array(tensor)
            moved = bias + np.array([0.0, shift], dtype=bias.dtype)
            tensor.CopyFrom(numpy_helper.from_array(moved, tensor.name))
            return
    raise AssertionError("the model has no bias of two numbers")
