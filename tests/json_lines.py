"""Files of JSON lines, as exports and labelled texts are."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def written(path: Path, rows: Iterable[Any]) -> Path:
    """Write a file with a row on each line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
