"""Does a plan answer as the FP32 file does? The release's own probes, and real texts."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lab._gpu.form import Form, running
from scoring.release import Release
from training import tensorrt_graph

_STARTER = Path(__file__).resolve().parents[2] / "scoring" / "starter"


def texts(files: list[Path], *, count: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the release's probes, then so many texts of each file, drawn by a seed."""
    yield "probes of the release", [probe.text for probe in Release.load(_STARTER).content.probes]
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        sample = random.Random(0).sample(lines, min(count, len(lines)))
        yield file.stem, [json.loads(line)["text"] for line in sample]


def compare(
    named: list[tuple[str, list[str]]], *, onnx: Path, tokenizer: Path, form: Form, scratch: Path
) -> list[dict[str, Any]]:
    """Return a row for each set of texts."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(onnx), providers=["CPUExecutionProvider"])
    rows = []
    with running(form) as plan:
        for name, rows_of_text in named:
            arrays = tensorrt_graph.tokenised(rows_of_text, tokenizer=tokenizer)
            np.savez(scratch / "asked.npz", allow_pickle=False, **arrays)
            logits = plan.answers(scratch / "asked.npz", out=scratch / "answers.npz")["logits"]
            expected = np.concatenate(
                [
                    session.run(
                        ["logits"], {key: array[start : start + 32] for key, array in arrays.items()}
                    )[0]
                    for start in range(0, len(rows_of_text), 32)
                ]
            )
            rows.append({"texts": name, **differences(expected, logits)})
    return rows


def differences(expected: np.ndarray, found: np.ndarray) -> dict[str, Any]:
    """Return how far answers are from those of the FP32 file: logits, P(spam), and verdicts that turn."""
    probabilities = [spam(logits) for logits in (expected, found)]
    apart = np.abs(probabilities[0] - probabilities[1])
    return {
        "count": len(expected),
        "logit": float(np.abs(expected - found).max()),
        "probability": float(apart.max()),
        "probability_p99": float(np.percentile(apart, 99)),
        "flips": int(((probabilities[0] >= 0.5) != (probabilities[1] >= 0.5)).sum()),
        "finite": bool(np.isfinite(found).all()),
    }


def spam(logits: np.ndarray) -> np.ndarray:
    """Return P(spam), float64."""
    wide = logits.astype(np.float64)
    return np.asarray(1 / (1 + np.exp(wide[:, 0] - wide[:, 1])))
