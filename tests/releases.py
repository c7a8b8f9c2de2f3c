"""Releases for tests: the shipped one with parts replaced, and content models that answer differently."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from deploy.local.places import ROOT
from scoring import hosting
from scoring.release import MANIFEST, Release
from tests.libraries import later
from tests.scoring.starter import STARTER

onnx = later("onnx")
REPOSITORY = ROOT / "triton_repo"


def repository(folder: Path, *, shift: float) -> Path:
    """Copy the shipped model repository to `folder`, add `shift` to the logit of spam; return the folder."""
    for name in ("content", "tokenizer", "distilbert"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (folder / "distilbert").glob("*/model.onnx"):
        model = onnx.load(path)
        last = next(node for node in model.graph.node if "logits" in node.output)
        last.output[:] = ["logits_before"]
        more = onnx.numpy_helper.from_array(np.array([0, shift], dtype=np.float32), "shift")
        model.graph.initializer.append(more)
        model.graph.node.append(onnx.helper.make_node("Add", ["logits_before", "shift"], ["logits"]))
        onnx.save(model, path)
    return folder


def release(folder: Path, *, models: Path = REPOSITORY, **changes: Any) -> Release:
    """Write the shipped release anew, pinning the content model in `models`; `changes` replace parts."""
    shutil.copytree(STARTER, folder)
    manifest = json.loads((folder / MANIFEST).read_text())
    pins = hosting.pinned_files(models, model="content", version="1")
    scripts = manifest["content"]["scripts"]
    manifest["content"] = {"model": "content", "version": "1", "files": pins, "scripts": scripts}
    (folder / MANIFEST).write_text(json.dumps(manifest | changes))
    return Release.load(folder)


def report(*, candidate: Release, live: Release, **changes: Any) -> dict[str, Any]:
    """Return a report in which the candidate is as good as the live release; `changes` replace parts."""
    same = {"pr_auc": {"live": 0.9, "candidate": 0.9, "difference_interval": [0.0, 0.0]}}
    return {
        "format": 1,
        "candidate": {"id": candidate.id},
        "live": {"id": live.id},
        "is_unchanged": candidate.scores_as(live),
        "slices": [{"by": "all", "name": "all", "rows": 100, "is_gated": True, "metrics": same}],
        "robustness": [],
        "links": {"texts": 0, "unchanged": {}, "spam_with_links": {"difference_interval": [None, None]}},
        "latency": {"live_p95_ms": 5.0, "candidate_p95_ms": 5.0},
    } | changes
