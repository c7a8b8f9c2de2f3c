"""Run a sweep once per period, however many messages ask for it, and note when it ran.

A worker that was away finds a message for each period that it missed: the first one runs, the others find it
done. So no message has to expire early, and a sweep that runs late is run. `forgotten` selects the rows that
a sweep enqueues again.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q

from moderation import prepared
from moderation.queries.health import clocks

_ABANDONED_SECONDS = 60.0
"""Longer than a task may take: a run that began so long ago is dead."""

_MOST_EARLY_SECONDS = 15.0
"""Celery beat has jitter: a run may begin this much, or half a period, before the period is over."""

FORGOTTEN_SECONDS, FORGOTTEN_BACKLOG_SECONDS = 30, 600

_BEGIN = """
INSERT INTO moderation_sweeprun AS run (sweep, started_at) VALUES (%(sweep)s, %(at)s)
ON CONFLICT (sweep) DO UPDATE SET started_at = excluded.started_at, ended_at = NULL
WHERE run.started_at > %(at)s
  OR run.started_at <= %(due)s AND (run.ended_at IS NOT NULL OR run.started_at <= %(abandoned)s)
RETURNING sweep
"""
"""One statement, so that of two workers one begins. A start in the future: somebody set the clock back."""

_END = """
UPDATE moderation_sweeprun SET ended_at = %(end)s,
  succeeded_at = CASE WHEN %(is_done)s THEN %(end)s ELSE succeeded_at END
WHERE sweep = %(sweep)s AND started_at = %(at)s
"""


def run(*, sweep: str, work: Callable[[], int], at: datetime) -> int:
    """Run a sweep unless it is running or was started less than a period ago.

    Returns what `work` returns, 0 if there was nothing to do. Call outside a transaction: others must see
    that it runs. Raises whatever `work` raises.
    """
    if not _begin(sweep, at=at):
        return 0
    began = time.monotonic()
    is_done = False
    try:
        count = work()
        is_done = True
    finally:
        ended_at = at + timedelta(seconds=time.monotonic() - began)
        prepared.run(_END, sweep=sweep, at=at, end=ended_at, is_done=is_done)
    return count


def forgotten(*, has_backlog: bool, at: datetime) -> Q:
    """Select rows whose message was probably lost, by the time when they were enqueued.

    While messages wait in the broker, a row is probably among them, and counts as forgotten only much later:
    else a backlog would be enqueued again and again. Of a time in the future the clock was set back since.
    """
    patience = timedelta(seconds=FORGOTTEN_BACKLOG_SECONDS if has_backlog else FORGOTTEN_SECONDS)
    return Q(enqueued_at__lt=at - patience) | clocks.is_too_far("enqueued_at", at=at, longest=timedelta())


def _begin(sweep: str, *, at: datetime) -> bool:
    period = settings.SWEEP_SECONDS[sweep]
    due = at - timedelta(seconds=period - min(period / 2, _MOST_EARLY_SECONDS))
    abandoned = at - timedelta(seconds=max(_ABANDONED_SECONDS, period))
    return bool(prepared.rows(_BEGIN, sweep=sweep, at=at, due=due, abandoned=abandoned))
