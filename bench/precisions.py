"""What does each precision give in process? Texts a second of one batch, without any server.

make bench ARGS="precisions --model full"       (a DistilBERT of full size, random weights; or: shipped)

Forms take turns, and the median of all turns counts. "in flight": the batch is split over as many requests as
there are processors, each with a processor of its own.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench._serving import machine, models, weights

_SHAPES = ((1, 32), (8, 32), (32, 32), (1, 128), (32, 128))
_TURNS = 3
_TURN_SECONDS = 0.3

Run = Callable[[np.ndarray], Any]


def main() -> None:
    """Write the forms, let them take turns, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    models.add_arguments(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spamdesk-precisions-") as folder:
        forms = _forms(options, folder=Path(folder))
        busy, own, begun = machine.busy_seconds(), machine.own_seconds(), time.monotonic()
        seconds = _measure(forms)
        others = machine.busy_seconds() - busy - machine.own_seconds() + own
        print(f"texts/s; others used {others / (time.monotonic() - begun):.2f} cores meanwhile")
    print(f"{'texts x tokens':<24}" + "".join(f"{f'{rows} x {width}':>10}" for rows, width in _SHAPES))
    for name in forms:
        figures = [rows / float(np.median(seconds[name, rows, width])) for rows, width in _SHAPES]
        print(f"{name:<24}" + "".join(f"{figure:>10.1f}" for figure in figures))


def _forms(options: argparse.Namespace, *, folder: Path) -> dict[str, Run]:
    model = weights.full() if options.model == "full" else weights.of(models.shipped(options))
    weights.script(model, path=folder / "script.pt")
    for precision in ("float", "int8"):
        models.write(model, path=folder / f"{precision}.onnx", precision=precision, options=options)
    forms = {"TorchScript FP32": _torch(folder / "script.pt")}
    for name, file, hint in (("FP32", "float", "f32"), ("BF16", "float", "bf16"), ("INT8", "int8", "f32")):
        forms[name] = _openvino(folder / f"{file}.onnx", hint=hint)
        forms[f"{name}, in flight"] = _in_flight(folder / f"{file}.onnx", hint=hint)
    return forms


def _torch(path: Path) -> Run:
    import torch  # noqa: PLC0415 - slow

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    script = torch.jit.load(str(path))

    def run(ids: np.ndarray) -> Any:
        with torch.inference_mode():
            return script(torch.from_numpy(ids), torch.ones(ids.shape, dtype=torch.int32))

    return run


def _openvino(path: Path, *, hint: str) -> Run:
    request = _compiled(path, hint=hint, streams=1).create_infer_request()
    return lambda ids: request.infer({"input_ids": ids, "attention_mask": np.ones_like(ids)})


def _in_flight(path: Path, *, hint: str) -> Run:
    import openvino  # noqa: PLC0415 - slow

    streams = len(os.sched_getaffinity(0))
    jobs = openvino.AsyncInferQueue(_compiled(path, hint=hint, streams=streams), streams)

    def run(ids: np.ndarray) -> None:
        for part in np.array_split(ids, min(streams, len(ids))):
            jobs.start_async({"input_ids": part, "attention_mask": np.ones_like(part)})
        jobs.wait_all()

    return run


def _compiled(path: Path, *, hint: str, streams: int) -> Any:
    import openvino  # noqa: PLC0415 - slow

    settings = {
        "INFERENCE_PRECISION_HINT": hint,
        "INFERENCE_NUM_THREADS": len(os.sched_getaffinity(0)),
        "NUM_STREAMS": streams,
    }
    return openvino.Core().compile_model(str(path), "CPU", settings)


def _measure(forms: dict[str, Run]) -> dict[tuple[str, int, int], list[float]]:
    draw = np.random.default_rng(0)
    seconds: dict[tuple[str, int, int], list[float]] = {}
    for _ in range(_TURNS):
        for name, run in forms.items():
            for rows, width in _SHAPES:
                ids = draw.integers(1000, 30000, size=(rows, width), dtype=np.int32)
                run(ids)
                until = time.perf_counter() + _TURN_SECONDS
                while (begun := time.perf_counter()) < until:
                    run(ids)
                    seconds.setdefault((name, rows, width), []).append(time.perf_counter() - begun)
    return seconds


if __name__ == "__main__":
    main()
