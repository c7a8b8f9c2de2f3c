"""Releases with another content model: one exported elsewhere, or the shipped one with its logit moved."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deploy.local.places import ROOT
from scoring import hosting
from scoring.release import MANIFEST, Release

if TYPE_CHECKING:
    import onnx

SHIPPED = ROOT / "triton_repo"
_MODELS = ("content", "tokenizer", "distilbert")


def repository(folder: Path, *, shift: float) -> Path:
    """Copy the shipped model repository to `folder`, add `shift` to the logit of spam; return the folder."""
    import onnx

    for model in _MODELS:
        shutil.copytree(SHIPPED / model, folder / model, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (folder / "distilbert").glob("*/model.onnx"):
        model = onnx.load(path)
        _add_to_logits(model, shift=shift)
        onnx.save(model, path)
    return folder


def release(folder: Path, *, of: Release, repository: Path) -> Release:
    """Write a release that differs from another by its content model, that of a repository, alone."""
    shutil.copytree(of.folder, folder)
    pins = hosting.pinned_files(repository, model=of.content.model, version=of.content.version)
    content = {"model": of.content.model, "version": of.content.version, "files": pins}
    (folder / MANIFEST).write_text(json.dumps(dict(of.manifest) | {"content": content}))
    return Release.load(folder)


def report(*, candidate: Release, live: Release) -> dict[str, Any]:
    """Return a report of an evaluation that found both equal."""
    same = {"pr_auc": {"live": 0.9, "candidate": 0.9, "difference_interval": [0.0, 0.0]}}
    return {
        "format": 1,
        "candidate": {"id": candidate.id},
        "live": {"id": live.id},
        "is_unchanged": False,
        "slices": [{"by": "all", "name": "all", "rows": 1, "is_gated": True, "metrics": same}],
        "robustness": [],
        "links": {"texts": 0, "unchanged": {}, "spam_with_links": {"difference_interval": [None, None]}},
        "latency": {"live_p95_ms": 1.0, "candidate_p95_ms": 1.0},
    }


def _add_to_logits(model: onnx.ModelProto, *, shift: float) -> None:
    """Let the answer go through one more sum."""
    import numpy as np
    from onnx import helper, numpy_helper

    last = next(node for node in model.graph.node if "logits" in node.output)
    last.output[:] = ["logits_before"]
    model.graph.initializer.append(numpy_helper.from_array(np.array([0, shift], dtype=np.float32), "shift"))
    model.graph.node.append(helper.make_node("Add", ["logits_before", "shift"], ["logits"]))
