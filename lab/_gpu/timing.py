"""One call in process, form beside form: they take turns, and the middle turn counts."""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Iterable
from typing import Any

from lab._gpu.form import Form, running

Shape = tuple[int, int]
Figures = dict[str, dict[str, dict[str, float]]]


def measure(forms: Iterable[Form], *, shapes: Iterable[Shape], seconds: float, turns: int) -> Figures:
    """Return by form and shape the medians of p50 and p95 over the turns, with the range of p50."""
    by_form: dict[str, dict[str, list[dict[str, Any]]]] = {}
    with contextlib.ExitStack() as stack:
        workers = [stack.enter_context(running(form)) for form in forms]
        for _ in range(turns):
            for worker in workers:
                for rows, tokens in shapes:
                    row = worker.time(rows=rows, tokens=tokens, seconds=seconds)
                    by_form.setdefault(worker.form.name, {}).setdefault(f"{rows} x {tokens}", []).append(row)
    return {
        name: {shape: summed_up(row) for shape, row in by_shape.items()} for name, by_shape in by_form.items()
    }


def summed_up(turns: list[dict[str, Any]]) -> dict[str, float]:
    """Return the figures of some turns for a row."""
    middle = [turn["p50_ms"] for turn in turns]
    return {
        "p50_ms": statistics.median(middle),
        "p95_ms": statistics.median(turn["p95_ms"] for turn in turns),
        "least_p50_ms": min(middle),
        "most_p50_ms": max(middle),
        "calls": sum(turn["calls"] for turn in turns),
    }


def table(figures: Figures) -> str:
    """Return the rows: p50 and p95 in ms, and how many times the first form's p50."""
    first = next(iter(figures))
    lines = []
    for shape in figures[first]:
        for name, cells in figures.items():
            cell = cells[shape]
            ratio = figures[first][shape]["p50_ms"] / cell["p50_ms"]
            spread = f"{cell['least_p50_ms']:.3f} to {cell['most_p50_ms']:.3f}"
            lines.append(
                f"| {shape} | {name} | {cell['p50_ms']:.3f} | {spread} | {cell['p95_ms']:.3f} | {ratio:.2f} |"
            )
    head = "| rows x tokens | form | p50 ms | of the turns | p95 ms | times as fast |"
    return "\n".join([head, "|---|---|--:|---|--:|--:|", *lines])
