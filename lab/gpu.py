"""What does a GPU give? A TensorRT plan beside TorchScript on one card: in process, served, its answers.

.venv/bin/python -m lab gpu --work .state/gpu --collection ../shared/data/sms_uci.jsonl

Needs an NVIDIA GPU, torch with CUDA here, and TensorRT's Python package where --tensorrt-python and Triton's
environment are. Triton's wheel has no backend for plans, so its Python backend runs them
(lab/_gpu/served). Steps that were done are kept in --work; --steps repeats some.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

STEPS = ("make", "time", "parity", "load")
MODELS = ("full", "shipped")
_SHAPES = {16: ((1, 16), (16, 16)), 128: ((1, 128), (16, 128), (128, 128))}


def main() -> None:
    """Do the steps for each model, print the tables, keep every figure in results.json."""
    options = _options()
    options.work.mkdir(parents=True, exist_ok=True)
    file = options.work / "results.json"
    results: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    results["machine"] = machine(options.device)
    print(results["machine"], flush=True)
    for step in options.steps:
        for model in options.models:
            if figures := _DO[step](model, options):
                results.setdefault(step, {})[model] = figures
                file.write_text(json.dumps(results, indent=1) + "\n")


def machine(device: str) -> str:
    """Return the card and its driver, as NVIDIA's tool tells them."""
    if device == "cpu":
        return "no GPU"
    command = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="the folder for models, plans and results")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS))
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--tensorrt-python", default=sys.executable, help="the Python that has TensorRT")
    parser.add_argument("--device", default="cuda", help="of TorchScript")
    parser.add_argument("--onnxruntime", action="store_true", help="time onnxruntime-gpu, too")
    parser.add_argument("--texts", type=Path, nargs="*", default=[], help="real texts, to compare answers on")
    parser.add_argument("--count", type=int, default=1000, help="texts of each file")
    parser.add_argument("--collection", type=Path, help="SMS collection with the published load test's texts")
    parser.add_argument("--load-test", type=int, default=1000, metavar="REPEATS", help="of each text")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each cell and turn")
    parser.add_argument("--turns", type=int, default=3)
    return parser.parse_args()


def _make(model: str, options: argparse.Namespace) -> dict[str, Any]:
    from lab._gpu import forms

    folder = options.work / model
    built = forms.make(model, folder=folder, python=options.tensorrt_python, device=options.device)
    forms.serve(folder, python=options.tensorrt_python)
    print(model, built, flush=True)
    return built


def _time(model: str, options: argparse.Namespace) -> dict[str, Any]:
    from lab._gpu import forms, timing

    folder, python = options.work / model, options.tensorrt_python
    all_figures: timing.Figures = {}
    for width, shapes in _SHAPES.items():
        figures = timing.measure(
            forms.of_texts(folder, width=width, python=python, has_onnxruntime=options.onnxruntime),
            shapes=shapes,
            seconds=options.seconds,
            turns=options.turns,
        )
        print(f"\n{model}, {width} tokens\n{timing.table(figures)}", flush=True)
        for name, cells in figures.items():
            all_figures.setdefault(name, {}).update(cells)
    return all_figures


def _parity(model: str, options: argparse.Namespace) -> dict[str, Any]:
    """Compare the answers of the plan of the shipped model."""
    from lab._gpu import forms, parity

    folder = options.work / model
    if model == forms.FULL:  # its weights are random: no answer of it means anything
        return {}
    *_, plan = forms.of_texts(folder, width=128, python=options.tensorrt_python, has_onnxruntime=False)
    repository = forms.repository_of(folder)
    rows = parity.compare(
        list(parity.texts(options.texts, count=options.count)),
        onnx=repository / "distilbert" / "1" / "model.onnx",
        tokenizer=repository / "tokenizer" / "1" / "tokenizer.json",
        form=plan,
        scratch=folder,
    )
    rows_by_texts = {row["texts"]: row for row in rows}
    for name, row in rows_by_texts.items():
        print(model, name, row, flush=True)
    return rows_by_texts


def _load(model: str, options: argparse.Namespace) -> dict[str, Any]:
    from lab._gpu import forms, load

    folder = options.work / model
    tokenizer = forms.repository_of(folder) / "tokenizer" / "1" / "tokenizer.json"
    load.under_python(folder / "served")
    rows = load.measure(
        load.cells(
            repeats=options.load_test,
            collection=options.collection,
            tokenizer=tokenizer,
            seconds=2 * options.seconds,
        ),
        scripts={
            "TorchScript FP32": folder / "logits-float.pt",
            "TorchScript FP16": folder / "logits-half.pt",
        },
        repository=folder / "served",
        tokenizer=tokenizer,
        device=options.device,
        turns=options.turns,
    )
    print(f"\n{model}\n{load.table(rows)}", flush=True)
    return {"rows": rows}


_DO: dict[str, Callable[[str, argparse.Namespace], dict[str, Any]]] = {
    "make": _make,
    "time": _time,
    "parity": _parity,
    "load": _load,
}


if __name__ == "__main__":
    main()
