"""One form of a model in a process of its own: reads commands as lines of JSON, answers each by one.

python -m lab._gpu.worker FORM FILE        FORM: tensorrt, tensorrt-without-graphs, torchscript, onnxruntime

{"time": {"rows": 1, "tokens": 16, "seconds": 2}}   → how long a call took, from arrays to arrays
{"answer": {"arrays": "in.npz", "out": "out.npz"}}  → the answers to the rows of a file, a batch at a time
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

Arrays = Mapping[str, np.ndarray]
Run = Callable[[Arrays], dict[str, np.ndarray]]

_WARM_CALLS, _WARM_SECONDS = 20, 0.5
_BATCH = 32


def main() -> None:
    """Load, say so, obey until standard input ends."""
    form, path = sys.argv[1], Path(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever the libraries print goes to standard error
    run = FORMS[form](path)
    for answer in _obeyed(run, sys.stdin):
        print(json.dumps(answer), file=answers, flush=True)


def _obeyed(run: Run, commands: Any) -> Any:
    yield {"ready": True}
    for line in commands:
        command = json.loads(line)
        if shape := command.get("time"):
            yield timed(run, **shape)
        else:
            yield answered(run, **command["answer"])


def timed(run: Run, *, rows: int, tokens: int, seconds: float) -> dict[str, Any]:
    """Call with random rows, warm-up apart. Milliseconds of a call, sorted out."""
    batches = drawn(rows=rows, tokens=tokens)
    warm_until = time.perf_counter() + _WARM_SECONDS
    calls = 0
    while calls < _WARM_CALLS or time.perf_counter() < warm_until:
        run(batches[calls % len(batches)])
        calls += 1
    times: list[float] = []
    until = time.perf_counter() + seconds
    while (start := time.perf_counter()) < until:
        run(batches[len(times) % len(batches)])
        times.append(1_000 * (time.perf_counter() - start))
    p50, p95, p99 = np.percentile(times, [50, 95, 99])
    return {"calls": len(times), "p50_ms": float(p50), "p95_ms": float(p95), "p99_ms": float(p99)}


def drawn(*, rows: int, tokens: int, count: int = 16) -> list[Arrays]:
    """Return several batches that differ, as callers' do."""
    random = np.random.default_rng(0)
    mask = np.ones((rows, tokens), dtype=np.int32)
    return [
        {
            "input_ids": random.integers(1_000, 30_000, size=(rows, tokens), dtype=np.int32),
            "attention_mask": mask,
        }
        for _ in range(count)
    ]


def answered(run: Run, *, arrays: str, out: str) -> dict[str, Any]:
    """Answer every row of the file."""
    with np.load(arrays) as file:
        inputs = {name: file[name] for name in file.files}
    rows = len(next(iter(inputs.values())))
    parts = [
        run({name: array[start : start + _BATCH] for name, array in inputs.items()})
        for start in range(0, rows, _BATCH)
    ]
    outputs = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    np.savez(out, **outputs)  # type: ignore[arg-type] # numpy 1 has no allow_pickle here
    return {"rows": rows}


def _tensorrt(path: Path) -> Run:
    from lab._gpu.served.plan import Plan

    return Plan(path).run


def _tensorrt_without_graphs(path: Path) -> Run:
    from lab._gpu.served.plan import Plan

    return Plan(path, has_graphs=False).run


def _torchscript(path: Path) -> Run:
    """Run a script that was traced on the device; half or float, as it was traced."""
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    script = torch.jit.load(str(path), map_location=device)
    output = path.stem.partition("-")[0]

    def run(arrays: Arrays) -> dict[str, np.ndarray]:
        with torch.inference_mode():
            tensors = [torch.from_numpy(np.ascontiguousarray(array)).to(device) for array in arrays.values()]
            return {output: script(*tensors).float().cpu().numpy()}

    return run


def _onnxruntime(path: Path) -> Run:
    import onnxruntime

    if hasattr(onnxruntime, "preload_dlls"):
        onnxruntime.preload_dlls()  # CUDA from the packages that torch brought
    session = onnxruntime.InferenceSession(str(path), providers=["CUDAExecutionProvider"])
    if "CUDAExecutionProvider" not in session.get_providers():
        raise RuntimeError("this ONNX Runtime has no CUDA")
    names = [output.name for output in session.get_outputs()]
    return lambda arrays: dict(zip(names, session.run(names, dict(arrays)), strict=True))


FORMS: dict[str, Callable[[Path], Run]] = {
    "tensorrt": _tensorrt,
    "tensorrt-without-graphs": _tensorrt_without_graphs,
    "torchscript": _torchscript,
    "onnxruntime": _onnxruntime,
}


if __name__ == "__main__":
    main()
