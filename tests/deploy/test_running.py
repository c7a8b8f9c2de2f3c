"""A service that answers late is not a dead one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local import child, running
from deploy.local.child import Child
from deploy.local.running import Running
from deploy.local.service import NotYet, Service

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


def test_waits_two_minutes_for_the_first_answer(silent: tuple[Running, list[bool]], clock: Clock) -> None:
    one, _ = silent

    assert happened(one, clock, checks=24) == []
    assert happened(one, clock, checks=1) == ["web does nothing; restarting in 0.5 s"]


def test_waits_a_minute_for_the_next(silent: tuple[Running, list[bool]], clock: Clock) -> None:
    one, answers = silent
    answers.append(True)
    happened(one, clock, checks=1)

    assert happened(one, clock, checks=11) == []
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


def test_counts_anew_after_an_answer(silent: tuple[Running, list[bool]], clock: Clock) -> None:
    one, answers = silent
    answers.extend([True, *[False] * 11, True, *[False] * 11])

    assert happened(one, clock, checks=24) == []
