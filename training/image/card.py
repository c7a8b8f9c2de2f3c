"""An image model's card for people: `image-card.md` beside its repository's models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from training.evaluate import Quality

CARD = "image-card.md"
_DIFFERENCE = "(logarithm of a probability, ONNX Runtime, FP32)"
_MEASURED = (
    "Measured on the test part, whose groups the fit has not seen; in brackets the 95 % interval of a"
    " bootstrap over groups."
)
_WARNING = """> **RANDOM WEIGHTS.** They come from a seed: this network was never trained. It shows that the
> path works, from file to served answer. What it answers means nothing; judge no post by it.
"""


def write(out: Path, *, about: Mapping[str, Any], quality: Sequence[Quality]) -> None:
    """Write the card of a repository."""
    served = about["served"]
    lines = ["# Image model", ""]
    if served["is_random"]:
        lines += [_WARNING]
    lines += [
        "| | |",
        "|---|---|",
        "| network | ResNet50, as torchvision defines it |",
        f"| weights | {served['origin']} |",
        f"| classes | {served['classes']} |",
        f"| largest difference to torch | {about['largest_difference']:.1e} {_DIFFERENCE} |",
    ]
    if data := about.get("data"):
        lines += _of_data(data, quality)
    (out / CARD).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _of_data(data: Mapping[str, Any], quality: Sequence[Quality]) -> list[str]:
    parts = ", ".join(f"{count} {part}" for part, count in data["parts"].items())
    lines = [
        f"| last layer | fitted to {data['manifest']} (SHA-256 {data['sha256']}): {parts} |",
        f"| left out | {len(data['unread'])} files that are no picture |",
        "",
        _MEASURED,
        "",
        "| source | pictures (spam) | ROC-AUC | F1 at 0.5 | precision / recall | calibration error |",
        "|---|---|---|---|---|---|",
    ]
    for row in quality:
        auc, f1 = (f"{it.value:.3f} ({it.low:.3f} to {it.high:.3f})" for it in (row.roc_auc, row.f1))
        rest = f"{row.precision:.3f} / {row.recall:.3f} | {row.calibration_error:.3f}"
        lines.append(f"| {row.source} | {row.rows} ({row.spam}) | {auc} | {f1} | {rest} |")
    return lines
