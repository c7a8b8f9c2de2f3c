"""Disks of a few megabytes that a trial can fill, mounted where this process and its children see it."""

import contextlib
import ctypes
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

_CLONE_NEWNS = 0x00020000
_LIBC = ctypes.CDLL(None, use_errno=True)
_BLOCK = b"\0" * 65_536


def need_own() -> None:
    """Give this process a view of its own of what is mounted; skips by name where that is not allowed."""
    if _LIBC.unshare(_CLONE_NEWNS) != 0:
        pytest.skip(f"a file system of our own needs root: {os.strerror(ctypes.get_errno())}")
    made = subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        pytest.skip(f"a file system of our own needs root: {made.stderr.strip()}")


def mount(folder: Path, *, megabytes: int, mode: int = 0o711) -> None:
    """Mount an empty disk of this size at a folder, made if needed."""
    folder.mkdir(mode=mode, exist_ok=True)
    options = f"size={megabytes}m,mode={mode:o}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)


def unmount(folder: Path) -> None:
    """Take a disk away, whoever still uses it."""
    subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)


@contextlib.contextmanager
def full(folder: Path) -> Iterator[None]:
    """Leave no byte free on the disk of a folder until the block is left."""
    ballast = folder / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file:
            for size in (len(_BLOCK), 512, 1):
                with contextlib.suppress(OSError):
                    while file.write(_BLOCK[:size]):
                        pass
        yield
    finally:
        ballast.unlink(missing_ok=True)
