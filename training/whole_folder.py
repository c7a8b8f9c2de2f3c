"""Write a folder whole: a run that ends half-way leaves what was there before."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written(out: Path) -> Iterator[Path]:
    """Yield a new folder beside `out`, which takes its place when the block has ended without an error.

    The block may read `out`.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    # Beside it: a rename does not leave its file system.
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as scratch:
        folder, before = Path(scratch) / "made", Path(scratch) / "before"
        folder.mkdir()
        yield folder
        if out.exists():
            out.rename(before)
        folder.rename(out)
