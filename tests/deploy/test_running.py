"""What is late is not dead: a service that answers late, a start or a step that does something for long."""

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local import child, running
from deploy.local.child import Child
from deploy.local.running import Running
from deploy.local.service import NotYet, Service
from deploy.local.supervisor import StartFailed, Supervisor

EVERY_CHECK_SECONDS = 5


class Clock:
    """Time that passes by the check."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (running, child):
        monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def silent(clock: Clock, tmp_path: Path) -> Iterator[tuple[Running, list[bool]]]:
    """A service with a minute's patience whose process runs, and the list of whether it answers next."""
    answers: list[bool] = []

    def check() -> None:
        if not (answers.pop(0) if answers else False):
            raise NotYet("no answer")

    command = ("/bin/sleep", "600")
    service = Service(name="web", command=command, check=check, is_watched=True, patience_seconds=60)
    one = Running(service, lambda _: Child(command, log=tmp_path / "log", environment={}, mark="test"))
    yield one, answers
    one.child.kill_group()


def happened(one: Running, clock: Clock, *, checks: int) -> list[str]:
    """Return what the supervisor would say during so many checks."""
    said = []
    for _ in itertools.repeat(None, checks):
        clock.now += EVERY_CHECK_SECONDS
        said.append(one.tend())
    return [line for line in said if line]


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


def test_waits_two_minutes_for_the_first_answer(silent: tuple[Running, list[bool]], clock: Clock) -> None:
    one, _ = silent

    assert happened(one, clock, checks=24) == []
    assert happened(one, clock, checks=1) == ["web does nothing; restarting in 0.5 s"]


def test_waits_a_minute_after_each_answer(silent: tuple[Running, list[bool]], clock: Clock) -> None:
    one, answers = silent
    answers.extend([True, *[False] * 11, True])

    assert happened(one, clock, checks=24) == []
    assert happened(one, clock, checks=1) == ["web does not answer; restarting in 0.5 s"]


def test_keeps_one_that_works_without_an_answer_for_a_quarter_of_an_hour(
    silent: tuple[Running, list[bool]], clock: Clock, tmp_path: Path
) -> None:
    one, answers = silent
    answers += [True]
    said: list[str] = []
    for _ in range(181):
        with (tmp_path / "log").open("a") as log:
            log.write("something\n")
        said += happened(one, clock, checks=1)

    assert said == ["web does not answer; restarting in 0.5 s"]


def test_is_waited_for_while_its_log_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = run(tmp_path, monkeypatch, writes=10)

    assert "  prepare      at   300 s   Applying moderation.0003" in said
    assert "done after  1000" in said[-1]


def test_is_ended_at_a_standstill_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StartFailed, match=r"done nothing for 300 s(.|\n)*0002\n  again$"):
        run(tmp_path, monkeypatch, writes=2)


def test_a_starved_process_is_kept_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = start(tmp_path, monkeypatch, sys.executable, "-c", STARVED, str(tmp_path / "up"))

    assert said[0].startswith("  still starting: background (")
    assert "ready after" in said[-1]


def test_one_that_does_nothing_is_ended_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StartFailed, match=r"has done nothing for 2 s(.|\n)*\(empty\)\n.*start again"):
        start(tmp_path, monkeypatch, "/bin/sleep", "600")
