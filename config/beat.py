"""The scheduler of periodic tasks: by a clock that nobody sets, with nothing on a disk.

Celery's own one computes by the wall clock: set back by an hour, it asks for no sweep for an hour. It also
keeps a file, and does not start where a full disk refuses that. What it asks for is safe to run twice, so a
restart needs no memory.
"""

from __future__ import annotations

import time
from typing import Any

import structlog
from celery.beat import ScheduleEntry, Scheduler, SchedulingError
from celery.schedules import schedule

log = structlog.get_logger(__name__)


class SteadyScheduler(Scheduler):
    """Asks for each task once per its period, however the wall clock is set."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._due_at: dict[str, float] = {}
        super().__init__(*arguments, **options)

    def tick(self, *_: Any, **__: Any) -> float:
        """Ask for what is due; return how many seconds there are until the next."""
        now = time.monotonic()
        for name, entry in self.schedule.items():
            period = _seconds(entry)
            due_at = self._due_at.setdefault(name, now + period)
            if now >= due_at:
                # From now on, not from when it was due: what was missed meanwhile is not made up for.
                self._due_at[name] = now + period
                self.apply_entry(entry, producer=self.producer)
        return max(0.0, min(self._due_at.values(), default=now + 1.0) - time.monotonic())

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Send the message. A broker that takes none gets a line, not a traceback for each sweep."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as refused:
            log.warning("sweep_not_asked_for", task=entry.task, reason=str(refused)[:200])


def _seconds(entry: ScheduleEntry) -> float:
    assert isinstance(entry.schedule, schedule)  # noqa: S101 - config/schedule.py gives numbers of seconds
    seconds: float = entry.schedule.run_every.total_seconds()  # type: ignore[attr-defined]  # its stubs lack it
    return seconds
