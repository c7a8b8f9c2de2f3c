"""The scheduler asks for each sweep once per period, whatever the wall clock and the disk do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from celery import Celery
from celery.beat import ScheduleEntry, SchedulingError

from config.beat import SteadyScheduler


class Asking(SteadyScheduler):
    """Notes what it asks for, by a clock that the test moves."""

    producer: Any = None  # which would connect to CELERY_BROKER_URL, whatever the app's broker is

    def __init__(self) -> None:
        app = Celery(broker="memory://", set_as_current=False)
        app.conf.beat_schedule = {
            "often": {"task": "often", "schedule": timedelta(seconds=5)},
            "seldom": {"task": "seldom", "schedule": timedelta(seconds=300)},
        }
        self.asked: list[str] = []
        self.is_refused = False
        super().__init__(app=app, lazy=False)
        self.schedule = {name: self.schedule[name] for name in ("often", "seldom")}

    def apply_async(self, entry: ScheduleEntry, *_: object, **__: object) -> None:
        if self.is_refused:
            raise SchedulingError("MISCONF Errors writing to the AOF file: No space left on device")
        self.asked.append(str(entry.task))


@pytest.fixture
def clock() -> Iterator[list[float]]:
    """The monotonic clock, for the test to set."""
    now = [1000.0]
    with patch.object(time, "monotonic", lambda: now[0]):
        yield now


class TestSteadyScheduler:
    def test_asks_once_per_period(self, clock: list[float]) -> None:
        beat = Asking()
        waits = beat.tick()
        for second in range(1, 21):
            clock[0] = 1000.0 + second
            beat.tick()

        assert waits == 5.0
        assert beat.asked == ["often"] * 4

    @pytest.mark.parametrize("hours", [-1, 1])
    def test_does_not_look_at_the_wall_clock(self, clock: list[float], hours: int) -> None:
        beat = Asking()
        beat.tick()
        wall = time.time()
        with patch.object(time, "time", lambda: wall + 3600 * hours):
            clock[0] += 5
            beat.tick()
            clock[0] += 1
            beat.tick()

        assert beat.asked == ["often"]

    def test_makes_up_for_nothing_after_a_pause(self, clock: list[float]) -> None:
        beat = Asking()
        beat.tick()
        clock[0] += 100
        beat.tick()
        beat.tick()

        assert beat.asked == ["often"]

    def test_goes_on_when_the_broker_takes_nothing(self, clock: list[float]) -> None:
        beat = Asking()
        beat.tick()
        beat.is_refused = True
        clock[0] += 5
        beat.tick()
        assert not beat.reaches_the_broker()
        beat.is_refused = False
        clock[0] += 5
        beat.tick()

        assert beat.asked == ["often"]
        assert beat.reaches_the_broker()
