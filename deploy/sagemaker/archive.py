"""A Triton repository as SageMaker takes it: model.tar.gz, unpacked there into /opt/ml/model."""

import gzip
import os
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

_STEP = re.compile(r'^\s*model_name:\s*"([^"]+)"', re.MULTILINE)
_NOT_SERVED = {"__pycache__"}
_PLAN, _RECIPE = "model.plan", "plan.json"
_BUILDS_A_PLAN = {_RECIPE, "model.onnx"}
"""Beside a plan: what it was built from."""


class NotARepository(Exception):
    """The folder does not hold the named model with what it needs; the message says what is missing."""


def write(repository: Path, *, model: str, archive: Path) -> list[str]:
    """Write `model` and its steps into a new archive and return their names.

    Equal files give an equal archive. Links are followed: Triton's files may be links. Raises
    NotARepository; OSError if it cannot be written, and then leaves nothing.
    """
    names = _with_steps(repository, model=model)
    partial = archive.with_name(f".{archive.name}.partial")
    try:
        with (
            partial.open("wb") as file,
            gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0) as stream,
            tarfile.open(mode="w", fileobj=stream, format=tarfile.PAX_FORMAT) as tar,
        ):
            for place in (place for name in names for place in _places(repository / name)):
                _add(tar, place, name=place.relative_to(repository).as_posix())
        partial.replace(archive)
    finally:
        partial.unlink(missing_ok=True)
    return names


def _with_steps(repository: Path, *, model: str) -> list[str]:
    config = repository / model / "config.pbtxt"
    if not config.is_file():
        raise NotARepository(f"{config} is missing: {repository} holds no model {model!r}")
    # An ensemble's steps only: in another model's configuration nothing is called model_name.
    names = list(dict.fromkeys([*_STEP.findall(config.read_text(encoding="utf-8")), model]))
    for name in names:
        versions = [place for place in (repository / name).glob("*/") if place.name.isdigit()]
        if not versions:
            raise NotARepository(f"{repository / name} has no version: {model!r} cannot be served")
        for version in versions:
            if (version / _RECIPE).is_file() and not (version / _PLAN).is_file():
                raise NotARepository(
                    f"{version} has no {_PLAN}: build it by `python -m training tensorrt` on a card"
                    " of the endpoint's kind, with the TensorRT of its image"
                )
        is_empty = not any(place.is_file() for version in versions for place in _places(version))
        # An ensemble's versions are empty, since its steps have all the files.
        if is_empty and (name != model or names == [model]):
            raise NotARepository(f"{repository / name} holds no files: {model!r} cannot be served")
    return names


def _places(folder: Path) -> Iterator[Path]:
    """Return the folder and all in it, in a fixed order; a version's folder may be empty in all but name."""
    yield folder
    exclusions = _NOT_SERVED | (_BUILDS_A_PLAN if (folder / _PLAN).is_file() else set())
    for place in sorted(folder.iterdir()):
        if place.name in exclusions:
            continue
        if place.is_dir():
            yield from _places(place)
        else:
            yield place


def _add(tar: tarfile.TarFile, place: Path, *, name: str) -> None:
    entry = tarfile.TarInfo(name)
    if place.is_dir():
        entry.type, entry.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(entry)
        return
    with place.open("rb") as file:
        entry.size, entry.mode = os.fstat(file.fileno()).st_size, 0o644
        tar.addfile(entry, file)
