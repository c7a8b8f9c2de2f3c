"""The whole product under its supervisor, as `make run` starts it, in a folder of its own."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deploy.local import child, ports
from deploy.local.places import ROOT
from tests import servers

PATIENCE_SECONDS = 180


class Product:
    """A supervisor process and what runs under it."""

    def __init__(self, state: Path, **settings: str) -> None:
        self.state = state.resolve()
        self._settings = settings
        self.port = ports.free()
        self._supervisor: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, unless it runs, and wait until it says so."""
        if "TRITON_URL" in self.environment:
            servers.ensure("triton")
        if self._supervisor is None or self._supervisor.poll() is not None:
            self.state.mkdir(mode=0o711, exist_ok=True)
            with self.output.open("wb") as output:
                self._supervisor = subprocess.Popen(
                    self.command, cwd=ROOT, env=self.environment, stdout=output, stderr=subprocess.STDOUT
                )
        self.wait_until(lambda: "Ctrl-C stops" in self.said(), "starts")

    def kill(self) -> None:
        """Kill the supervisor so that it can do nothing about it."""
        assert self._supervisor is not None
        self._supervisor.kill()
        self._supervisor.wait()

    def interrupt(self) -> int:
        """Press Ctrl-C and return the exit code."""
        assert self._supervisor is not None
        self._supervisor.send_signal(signal.SIGINT)
        return self._supervisor.wait(PATIENCE_SECONDS)

    def end(self) -> None:
        """Leave nothing behind."""
        if self._supervisor is not None and self._supervisor.poll() is None:
            self.interrupt()

    @property
    def command(self) -> list[str]:
        """Return what `make run` runs once everything is installed."""
        return [sys.executable, "-m", "deploy.local.run"]

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment and what was given; of the test run's servers Triton is shared.

        What was given as "" is left out: with TRITON_URL="" the product has a Triton of its own.
        """
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in ("DATABASE_URL", "CELERY_BROKER_URL")
        }
        own = {
            "SPAMDESK_STATE_DIR": str(self.state),
            "SPAMDESK_WEB_PORT": str(self.port),
            "SPAMDESK_MODE": "test",
        }
        few = {"SPAMDESK_SCORING_PROCESSES": "1", "SPAMDESK_WEB_PROCESSES": "1"}
        every = kept | own | few | self._settings
        return {name: value for name, value in every.items() if self._settings.get(name) != ""}

    @property
    def output(self) -> Path:
        """Return the file with what the supervisor said."""
        return self.state / "terminal"

    def said(self) -> str:
        """Return what the supervisor said since its last start."""
        return self.output.read_text() if self.output.exists() else ""

    def processes(self) -> list[int]:
        """Return every process of it, the supervisor excepted."""
        return child.leftovers(mark=str(self.state))

    def process(self, word: str) -> int:
        """Return the oldest process with this word on its command line."""
        return min(pid for pid in self.processes() if word in command_line(pid))

    def postgres(self) -> int:
        """Return the database server's process; it hides its environment."""
        lock = self.state / "postgres" / "cluster" / "postmaster.pid"
        return int(lock.read_text().splitlines()[0])

    def readiness(self) -> dict[str, Any]:
        """Return what /readyz says, nothing while nobody answers."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as refused:
            return dict(json.load(refused))
        except (OSError, ValueError):
            return {}

    def is_ready(self) -> bool:
        """Return whether every part works."""
        states = self.readiness()
        for told in ("content", "late", "missing", "seen"):  # load alone may be late
            states.pop(told, None)
        return bool(states) and set(states.values()) == {"ok"}

    def wait_until(
        self, holds: Callable[[], bool], what: str, *, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        """Wait until it holds; fails with what the supervisor said."""
        deadline = time.monotonic() + patience_seconds
        while not holds():
            assert time.monotonic() < deadline, f"never {what}:\n{self.said()}"
            time.sleep(0.1)


def command_line(process_id: int) -> str:
    """Return what a process was started with, "" if it is gone."""
    try:
        return Path(f"/proc/{process_id}/cmdline").read_text(errors="replace")
    except OSError:
        return ""
