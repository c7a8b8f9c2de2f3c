"""The other end of a worker: start it in the Python that has its libraries, ask it, stop it."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from deploy.local.places import ROOT


class Died(RuntimeError):
    """A worker ended before it answered; its standard error says why."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """A model in one form, as a table names it."""

    name: str
    kind: str
    file: Path
    python: str


class Asked:
    """A worker that runs."""

    def __init__(self, form: Form, process: subprocess.Popen[str]) -> None:
        self.form = form
        self._process = process

    def time(self, *, rows: int, tokens: int, seconds: float) -> dict[str, Any]:
        """Return the milliseconds of its calls."""
        return self.ask({"time": {"rows": rows, "tokens": tokens, "seconds": seconds}})

    def answers(self, arrays: Path, *, out: Path) -> dict[str, np.ndarray]:
        """Return its answers to the rows of a file."""
        self.ask({"answer": {"arrays": str(arrays), "out": str(out)}})
        with np.load(out) as file:
            return {name: file[name] for name in file.files}

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """Send one command. Raises Died."""
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):  # `answer` tells
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """Read one answer. Raises Died."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise Died(f"{self.form.name} ({self.form.file}): exit code {self._process.wait()}")
        content: dict[str, Any] = json.loads(line)
        return content


@contextlib.contextmanager
def running(form: Form) -> Iterator[Asked]:
    """Start a form's worker; stop it in the end. Raises Died."""
    with subprocess.Popen(
        [form.python, "-m", "lab._gpu.worker", form.kind, str(form.file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        try:
            worker = Asked(form, process)
            worker.answer()  # that it is ready
            yield worker
        finally:
            assert process.stdin
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
