"""The scheduler of periodic tasks: by a monotonic clock, without a file.

Celery's own scheduler uses the wall clock: set back by an hour, it starts no sweep for an hour. It also keeps
a file, and does not start on a full disk. Its tasks are idempotent, so a restart needs no stored state.
"""

import time
from collections import defaultdict
from math import inf
from typing import Any

import structlog
from celery.beat import ScheduleEntry, Scheduler, SchedulingError
from celery.schedules import schedule

log = structlog.get_logger(__name__)

_LATELY_SECONDS = 10.0
"""Several periods of the most frequent sweep."""
_TASK = "moderation.tasks.run_sweeps"
_EARLY_SECONDS = 0.5
"""How much sooner than due a task is sent with others."""


class SteadyScheduler(Scheduler):
    """Enqueues each task once per period, independent of the wall clock, and those of a queue together."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._due_at: dict[str, float] = {}
        self._sent_at = -inf
        super().__init__(*arguments, **options)

    def tick(self, *_: Any, **__: Any) -> float:
        """Enqueue due tasks; return the seconds until the next one."""
        now = time.monotonic()
        due = defaultdict[Any, list[ScheduleEntry]](list)
        for name, entry in self.schedule.items():
            period = _seconds(entry)
            due_at = self._due_at.setdefault(name, now + period)
            if now >= due_at - _EARLY_SECONDS:
                # From now, not from when it was due: missed runs are not made up for.
                self._due_at[name] = now + period
                due[(entry.options or {}).get("queue")].append(entry)
        for entries in due.values():
            # A message costs its worker more than most sweeps do.
            names, options = [entry.task for entry in entries], entries[0].options
            joined = ScheduleEntry(task=_TASK, kwargs={"names": names}, options=options, app=self.app)
            self.apply_entry(joined, producer=self.producer)
        return max(0.0, min(self._due_at.values(), default=now + 1.0) - time.monotonic())

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Send the message. An unreachable broker is logged in one line, not a traceback for each sweep."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
            self._sent_at = time.monotonic()
        except SchedulingError as refused:
            log.warning("sweep_not_asked_for", tasks=entry.kwargs, reason=str(refused)[:200])

    def reaches_the_broker(self) -> bool:
        """Return whether a message was sent lately."""
        return time.monotonic() - self._sent_at < _LATELY_SECONDS


def _seconds(entry: ScheduleEntry) -> float:
    assert isinstance(entry.schedule, schedule)  # noqa: S101 - config/schedule.py gives numbers of seconds
    seconds: float = entry.schedule.run_every.total_seconds()  # type: ignore[attr-defined]  # its stubs lack it
    return seconds
