"""The card of the topics model: its quality on labelled topics, beside trained classifiers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

NONE = "-"
TEMPLATE = Path(__file__).with_name("topic_card.md.template")


@dataclass(frozen=True, kw_only=True)
class TopicQuality:
    """One topic of one source; ROC-AUC by way, NaN where a way could not be fitted."""

    source: str
    topic: str
    rows: int
    roc_auc: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The logistic curve from contrast to probability, and its error where it was not fitted."""

    slope: float
    intercept: float
    calibration_error: float


def text(
    found: Sequence[TopicQuality], *, curve: Curve | None, ways: Sequence[str], told: Mapping[str, Any]
) -> str:
    """Return the card as markdown."""
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        base=told["base"],
        engine=told["engine"],
        hypothesis=told["hypothesis"].format("…"),
        curve=_curve(curve, told),
        summary="\n".join(_summary(found, ways)),
    )


def _curve(curve: Curve | None, told: Mapping[str, Any]) -> str:
    if curve is None:
        return "The probabilities are the model's own."
    return (
        f"Contrast becomes a probability by a logistic curve. Fitted on one half of the groups of the real "
        f"texts it has slope {curve.slope:.1f} and intercept {curve.intercept:.1f}, and an expected "
        f"calibration error of {curve.calibration_error:.3f} on the other half; the shipped curve has "
        f"{told['slope']} and {told['intercept']}."
    )


def _summary(found: Sequence[TopicQuality], ways: Sequence[str]) -> Iterator[str]:
    yield "| source | texts | topics | " + " | ".join(ways) + f" | {ways[0]}, lowest and highest topic |"
    yield "|---|--:|--:|" + "--:|" * len(ways) + "---|"
    for source in dict.fromkeys(row.source for row in found):
        rows = [row for row in found if row.source == source]
        means = [_mean([row.roc_auc[way] for row in rows]) for way in ways]
        ranked = sorted(rows, key=lambda row: row.roc_auc[ways[0]])
        ends = " and ".join(f"`{row.topic}` {row.roc_auc[ways[0]]:.2f}" for row in (ranked[0], ranked[-1]))
        yield f"| {source} | {rows[0].rows:,} | {len(rows)} | {' | '.join(means)} | {ends} |"


def _mean(values: Sequence[float]) -> str:
    finite = [value for value in values if not math.isnan(value)]
    if not finite:
        return NONE
    mean = f"{sum(finite) / len(finite):.3f}"
    return mean if len(finite) == len(values) else f"{mean} ({len(finite)} topics)"
