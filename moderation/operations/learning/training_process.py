"""The process of a training run: `manage.py next_release` as a child that dies with its worker.

Training's libraries are never imported by a worker. The child holds a lock on its log by having inherited it:
while a process of a former attempt lives, on this machine, no other begins in the same folder.
"""

import fcntl
import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self

from moderation.models.training_runs import TrainingStep

_ROOT = Path(__file__).resolve().parents[3]
_LOG = "log.txt"
_LOG_BYTES = 8_000
_NEEDED = ("sklearn", "torch", "onnx", "transformers")
_INSTALLER = _ROOT / "deploy" / "local" / "install.py"
_BEGUN = re.compile(rf"^({'|'.join(TrainingStep.values)}) …$", re.MULTILINE)
_STOP_SECONDS = 5.0


class PackagesMissing(Exception):
    """Training's packages are not installed here, and nothing here can install them."""


class StillRunning(Exception):
    """A process of a former attempt has not ended yet."""


class TrainingProcess:
    """A running step of a training run: its exit code, the end of its log, the step it says it is at.

    A context manager, which kills what still runs.
    """

    def __init__(self, command: Sequence[str], *, folder: Path, opening: str) -> None:
        """Start the command in a process group of its own. Raises StillRunning or OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / _LOG
        with self._path.open("ab") as log:
            _lock(log)
            log.write(f"{opening}\n".encode())
            log.flush()
            self._child = subprocess.Popen(
                command,
                cwd=_ROOT,
                stdin=subprocess.PIPE,  # ends with this process: the child then ends itself
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def exit_code(self) -> int | None:
        """Return the exit code, None while the process runs."""
        return self._child.poll()

    def log(self) -> str:
        """Return the end of the log, from the beginning of a line."""
        with self._path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LOG_BYTES))
            said = file.read().decode(errors="replace").replace("\x00", "")
        return said if size <= _LOG_BYTES else said.partition("\n")[2]

    def step(self) -> str:
        """Return the step that the process has named last, empty if none is in the end of the log."""
        found = _BEGUN.findall(self.log())
        return str(found[-1]) if found else ""

    def stop(self) -> None:
        """End the process and all it started; wait for it."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._child.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(self._child.pid, number)
                with suppress(subprocess.TimeoutExpired):
                    self._child.wait(timeout=_STOP_SECONDS)
        # The leader may have ended before its children.
        with suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)
        if self._child.stdin:
            self._child.stdin.close()


def install_command() -> list[str] | None:
    """Return the command that installs what training needs, None if it is there. Raises PackagesMissing."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if not missing:
        return None
    if not _INSTALLER.exists():
        raise PackagesMissing(
            f"Training needs {', '.join(missing)}: install them for the learning worker"
            " (docs/operators-guide.md, Training packages)."
        )
    return [sys.executable, "-m", "deploy.local", "python-dev", "-c", "pass"]


def next_release_command(*, folder: Path, platform: str | None) -> list[str]:
    """Return the command that makes a candidate in `folder`."""
    command = [sys.executable, "manage.py", "next_release", "--out", str(folder), "--ends-with-input"]
    return command + (["--platform", platform] if platform else [])


def _lock(log: BinaryIO) -> None:
    until = time.monotonic() + _STOP_SECONDS
    while True:
        try:
            fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            if time.monotonic() > until:
                raise StillRunning("a process of the attempt before is still ending") from held
            time.sleep(0.2)
        else:
            return
