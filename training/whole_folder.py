"""Write a release's folder whole: a run that ends half-way leaves what was there before."""

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scoring.release import MANIFEST, Release


@contextmanager
def release_like(base: Release, *, names: Iterable[str], out: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a new folder with these files of a release, and its manifest, for the block to change.

    Both take the place of `out`, which may be the release's own folder. Raises release.Corrupt.
    """
    with written(out) as folder:
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(base.folder / name, folder / name)
        manifest = dict(base.manifest)
        yield folder, manifest
        text = json.dumps(manifest, indent=1, allow_nan=False)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
        Release.load(folder)


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
