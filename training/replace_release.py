"""Write a fitted release over the one before: a kill leaves no mixture of both that could be served."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.ensemble import Ensemble
from scoring.release import MANIFEST, file_sha256


def write(out: Path, *, ensemble: Ensemble, manifest: Mapping[str, Any], others: Sequence[str]) -> None:
    """Write ensemble and manifest beside `out`, then move them into it, the manifest last.

    `others` names the files in `out` that belong to the release, too. A kill before the first move leaves the
    release that was there; after it the old manifest names another digest, and loading raises Corrupt.
    """
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{out.name}-", dir=out.parent) as folder:
        file = ensemble.save(Path(folder))
        files = {path.name: file_sha256(path) for path in (file, *(out / name for name in others))}
        whole = {"content": manifest["content"], "files": files} | {
            part: value for part, value in manifest.items() if part != "files"
        }
        text = json.dumps(whole, indent=1, allow_nan=False)
        (Path(folder) / MANIFEST).write_text(text + "\n", encoding="utf-8")
        for name in (file.name, MANIFEST):
            (Path(folder) / name).replace(out / name)
