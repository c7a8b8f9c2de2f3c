"""The forms of a model that are compared: its ONNX file, TorchScript in both precisions, plans."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deploy.local.places import ROOT
from lab._gpu.form import Form
from lab._serving import models, weights
from training import export_onnx, half_precision, plan_recipe, variants
from training.model_configs import Variant
from training.variants import REPOSITORY

FULL, SHIPPED = "full", "shipped"
WIDTHS = (16, 128)


def make(model: str, *, folder: Path, python: str, device: str) -> dict[str, Any]:
    """Write every form of a model into a folder; return what the builder said of each plan."""
    folder.mkdir(parents=True, exist_ok=True)
    model_weights = weights.full() if model == FULL else weights.of(_shipped_onnx())
    onnx = repository_of(folder) / "distilbert" / "1" / "model.onnx"
    _lay_out(repository_of(folder))
    if model == SHIPPED:
        shutil.copyfile(_shipped_onnx(), onnx)
    else:
        full = folder / "fp32.onnx"
        export_onnx.write_onnx(model_weights, path=full)
        export_onnx.store_compactly(source=full, target=onnx)
    half_precision.write(source=onnx, target=folder / "half.onnx")
    variants.write(variant=Variant.TENSORRT, repository=repository_of(folder), out=folder / "variant")
    graph = folder / "variant" / plan_recipe.TEXTS.name / "1" / plan_recipe.GRAPH
    weights.script(model_weights, path=folder / "logits-float.pt", device=device)
    weights.script(model_weights, path=folder / "logits-half.pt", device=device, is_half=True)
    return {
        str(width): _build(graph, plan=folder / f"{width}.plan", tokens=width, python=python)
        for width in WIDTHS
    }


def serve(folder: Path, *, python: str) -> Path:
    """Build the variant of this model by the product's own command; return its repository."""
    out = folder / "served"
    command = [python, "-m", "training", "tensorrt", f"--repository={folder / 'variant'}"]
    subprocess.run([*command, f"--out={out}"], cwd=ROOT, check=True, env=_environment())
    return out


def of_texts(folder: Path, *, width: int, python: str, has_onnxruntime: bool) -> Iterator[Form]:
    """Yield the forms to time at this width; the others are compared with the first."""
    here = sys.executable
    yield Form(name="TorchScript FP32", kind="torchscript", file=folder / "logits-float.pt", python=here)
    yield Form(name="TorchScript FP16", kind="torchscript", file=folder / "logits-half.pt", python=here)
    if has_onnxruntime:
        yield Form(name="ONNX Runtime FP16", kind="onnxruntime", file=folder / "half.onnx", python=here)
    plan = folder / f"{width}.plan"
    yield Form(name="TensorRT FP16", kind="tensorrt-without-graphs", file=plan, python=python)
    yield Form(name="TensorRT FP16, CUDA graphs", kind="tensorrt", file=plan, python=python)


def repository_of(folder: Path) -> Path:
    """Return where the exported model lies, as Triton on a CPU would serve it."""
    return folder / "repository"


def _shipped_onnx() -> Path:
    return REPOSITORY / "distilbert" / "1" / "model.onnx"


def _lay_out(out: Path) -> None:
    """Copy what a repository has beside model.onnx."""
    ignore = shutil.ignore_patterns("model.onnx", "topics", "__pycache__")
    shutil.copytree(models.REPOSITORY, out, ignore=ignore, dirs_exist_ok=True)


def _build(graph: Path, *, plan: Path, tokens: int, python: str) -> dict[str, Any]:
    """Build a plan by the other Python. Raises CalledProcessError."""
    result = subprocess.run(
        [python, "-m", "lab._gpu.build", str(graph), str(plan), f"--tokens={tokens}"],
        cwd=ROOT,
        check=True,
        env=_environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    report: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return {**report, "bytes": plan.stat().st_size}


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
