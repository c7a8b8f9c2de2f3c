"""A start, or a step before it such as the migrations, may take long while it does something."""

import sys
from pathlib import Path

import pytest

from deploy.local.service import NotYet, Service
from deploy.local.supervisor import StartFailed, Supervisor

LIMIT_SECONDS = 300
ROUND_SECONDS = 100


class Hurried(Supervisor):
    """Every round takes 100 seconds; the step writes in the first rounds, and ends after the last."""

    def __init__(self, folder: Path, *, writes: int, ends_after: int) -> None:
        self.said: list[str] = []
        super().__init__(logs=folder, mark=str(folder), environment={}, say=self.said.append)
        self._folder, self._writes, self._ends_after = folder, writes, ends_after
        self.now, self._rounds = 0.0, 0

    def tend(self) -> None:
        self._rounds += 1
        self.now += ROUND_SECONDS
        if self._rounds <= self._writes:
            with (self._folder / "prepare.log").open("a") as log:
                log.write(f"  Applying moderation.{self._rounds:04}\n")
        if self._rounds == self._ends_after:
            (self._folder / "end").touch()
        if self._rounds > self._ends_after:
            self.now -= ROUND_SECONDS


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *, writes: int) -> list[str]:
    supervisor = Hurried(folder, writes=writes, ends_after=10)
    monkeypatch.setattr("deploy.local.supervisor.time.monotonic", lambda: supervisor.now)
    command = ("/bin/sh", "-c", f"while [ ! -e {folder}/end ]; do /bin/sleep 0.05; done")
    with supervisor:
        supervisor.run_step(
            Service(
                name="prepare", command=command, check=lambda: None, idle_seconds=LIMIT_SECONDS, cure="again"
            )
        )
    return supervisor.said


def test_is_waited_for_while_its_log_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = run(tmp_path, monkeypatch, writes=10)

    assert "  prepare      at   300 s   Applying moderation.0003" in said
    assert "done after  1000" in said[-1]


def test_is_ended_at_a_standstill_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StartFailed, match=r"done nothing for 300 s(.|\n)*0002\n  again$"):
        run(tmp_path, monkeypatch, writes=2)


# A process that the machine gives 0.1 s of processor time in 0.6 s, for longer than the limit; then it is up.
STARVED = """
import pathlib, sys, time
end = time.monotonic() + 6
while time.monotonic() < end:
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass
    time.sleep(0.5)
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""


def start(folder: Path, monkeypatch: pytest.MonkeyPatch, *command: str) -> list[str]:
    """Wait for a process that is up once a file is there, and may do nothing for two seconds."""
    monkeypatch.setattr("deploy.local.child._LOOK_SECONDS", 0.2)
    monkeypatch.setattr("deploy.local.supervisor._TELL_STARTING_SECONDS", 1.0)
    said: list[str] = []

    def check() -> None:
        if not (folder / "up").exists():
            raise NotYet

    with Supervisor(logs=folder, mark=str(folder), environment={}, say=said.append) as supervisor:
        supervisor.launch(Service(name="background", command=command, check=check, idle_seconds=2))
        supervisor.wait_until_up(["background"])
    return said


def test_a_starved_process_is_kept_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = start(tmp_path, monkeypatch, sys.executable, "-c", STARVED, str(tmp_path / "up"))

    assert said[0].startswith("  still starting: background (")
    assert "ready after" in said[-1]


def test_one_that_does_nothing_is_ended_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StartFailed, match=r"has done nothing for 2 s(.|\n)*\(empty\)\n.*start again"):
        start(tmp_path, monkeypatch, "/bin/sleep", "600")
