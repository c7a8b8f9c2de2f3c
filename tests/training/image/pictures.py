"""A folder of labelled pictures that a network without training can tell apart: stripes are spam."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image


def folder_of(count: int, folder: Path, *, more: tuple[dict[str, Any], ...] = ()) -> Path:
    """Write so many pictures, every second one spam, and the manifest with `more` lines at its end."""
    random = np.random.default_rng(0)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(count):
        is_spam = number % 2
        across = np.arange(64)[None, :] if is_spam else np.zeros((64, 64), dtype=int)
        shade = (across // (2 + number % 5) % 2) * 200 + random.integers(0, 55, size=(64, 64))
        picture = np.dstack([shade, np.full((64, 64), random.integers(255)), shade]).astype(np.uint8)
        Image.fromarray(picture).save(folder / f"{number}.png")
        rows.append({"file": f"{number}.png", "label": is_spam, "group": f"g{number}"})
    lines = "".join(json.dumps(row) + "\n" for row in (*rows, *more))
    (folder / "manifest.jsonl").write_text(lines, encoding="utf-8")
    return folder
