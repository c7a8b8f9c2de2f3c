"""Start Triton unless a plan in its repositories was built by another TensorRT than the one here.

TensorRT reads only plans of its own version; Triton says so in a page of log and serves nothing. Standard
library only: it runs in NVIDIA's image, after `serve_plans`, which builds what is missing.
"""

import ctypes
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

REPOSITORY = "--model-repository="
NOTE = "built_with.json"
"""Beside a plan: the version of TensorRT that built it."""


def refusals(repositories: Sequence[Path]) -> Iterator[str]:
    """Yield a line for each plan that cannot be read here."""
    for note in sorted(note for folder in repositories for note in folder.glob(f"*/*/{NOTE}")):
        built_with = str(json.loads(note.read_text(encoding="utf-8"))["tensorrt"])
        here = version_here(major=built_with.partition(".")[0])
        if here != built_with:
            version = f"TensorRT {here}" if here else f"no TensorRT {built_with.partition('.')[0]}"
            yield (
                f"{note.parent}: its plan was built with TensorRT {built_with}, this image has {version}:"
                " build it in the version of this image, or serve it with the image of that version"
            )


def version_here(*, major: str) -> str:
    """Return the version of the installed library of this major version, "" if there is none."""
    try:
        library = ctypes.CDLL(f"libnvinfer.so.{major}")
    except OSError:
        return ""
    number = int(library.getInferLibVersion())
    # Two digits each for minor and patch; before version 10 one for minor.
    own, rest = divmod(number, 10_000 if number >= 100_000 else 1_000)
    return f"{own}.{rest // 100}.{rest % 100}"


def main(command: Sequence[str]) -> None:
    """Become the command; ends with exit code 1 and one line for each plan that it could not read."""
    repositories = [Path(word.removeprefix(REPOSITORY)) for word in command if word.startswith(REPOSITORY)]
    if lines := list(refusals(repositories)):
        sys.exit("\n".join(lines))
    os.execvp(command[0], list(command))
