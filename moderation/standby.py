"""Reads that may be a moment old, from a hot standby of the database where one is named and keeps up.

Lists of the desk, figures of quality and exports read much and change nothing. Within `reading` their queries
go to the standby; writes and locks go to the primary, everywhere. Without a standby, or while it is away or
behind, all goes to the primary.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import structlog
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper

log = structlog.get_logger(__name__)

ALIAS = "standby"
MOST_SECONDS_BEHIND = 5.0
"""A standby that replays is used while it is at most this old."""

MOST_SECONDS_UNHEARD = 15.0
"""A standby that is cut off has replayed all that it knows of. So the primary must have been heard, too: the
sweep `number_feeds` writes a row every 2 s. That is the age that a read can have at most.
"""

_CHECKED_SECONDS = 2.0
_AVOIDED_SECONDS = 10.0
_WAIT_SECONDS = 10.0
_STEP_SECONDS = 0.1

_STATE = """
SELECT pg_is_in_recovery(),
  CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
    ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) END,
  (SELECT extract(epoch FROM clock_timestamp() - max(started_at)) FROM moderation_sweeprun)
"""

_alias: ContextVar[str] = ContextVar("alias", default=DEFAULT_DB_ALIAS)


class Router:
    """Django's router: where to read is a matter of the context, all else is the primary's."""

    def db_for_read(self, _model: Any, **_hints: Any) -> str:
        """Return the alias that this context reads from."""
        return _alias.get()

    def db_for_write(self, _model: Any, **_hints: Any) -> str:
        """Return the primary, also for rows that were read from the standby."""
        return DEFAULT_DB_ALIAS

    def allow_relation(self, _one: Any, _other: Any, **_hints: Any) -> bool:
        """Allow all: both aliases are one database."""
        return True

    def allow_migrate(self, db: str, _app_label: str, **_hints: Any) -> bool:
        """Allow migrations on the primary alone."""
        return db == DEFAULT_DB_ALIAS


class _Fitness:
    """Whether the standby may be read, asked at most every 2 s by each process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_fit = False
        self._until = 0.0

    def is_fit(self) -> bool:
        """Tell whether to read from the standby now; whoever asks while another one looks is not kept."""
        if ALIAS not in connections.databases:
            return False
        if time.monotonic() >= self._until and self._lock.acquire(blocking=False):
            try:
                self._set(_why_unfit())
            finally:
                self._lock.release()
        return self._is_fit

    def avoid(self, why: str) -> None:
        """Read from the primary for ten seconds."""
        self._set(why)

    def _set(self, why: str) -> None:
        is_fit = not why
        if is_fit != self._is_fit:
            log.warning("standby_fit" if is_fit else "standby_unfit", reason=why)
        self._is_fit = is_fit
        self._until = time.monotonic() + (_CHECKED_SECONDS if is_fit else _AVOIDED_SECONDS)


fitness = _Fitness()


def is_named() -> bool:
    """Tell whether the installation has a standby to read from."""
    return ALIAS in connections.databases


def connection() -> BaseDatabaseWrapper:
    """Return the connection for SQL that only reads."""
    return connections[_alias.get()]


@contextmanager
def reading() -> Iterator[bool]:
    """Read from the standby if it is fit; yields whether it is. After an error of the database it is avoided.

    Not for code that yields to its caller within: the caller would read from the standby, too.
    """
    alias = ALIAS if fitness.is_fit() else DEFAULT_DB_ALIAS
    token = _alias.set(alias)
    try:
        yield alias == ALIAS
    except Error as failure:
        if alias == ALIAS:
            fitness.avoid(type(failure).__name__)
        raise
    finally:
        _alias.reset(token)


@contextmanager
def reading_all_until_now() -> Iterator[bool]:
    """Read from the standby once it has replayed all that the primary holds now; else from the primary."""
    if not fitness.is_fit() or not _has_replayed(_written()):
        yield False
        return
    with reading() as is_standby:
        yield is_standby


def _written() -> str:
    """Return where the primary's log ends now."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn()::text")
        return str(cursor.fetchone()[0])


def _has_replayed(position: str) -> bool:
    until = time.monotonic() + _WAIT_SECONDS
    try:
        while True:
            with connections[ALIAS].cursor() as cursor:
                cursor.execute(
                    "SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= %s::pg_lsn", [position]
                )
                if cursor.fetchone()[0]:
                    return True
            if time.monotonic() >= until:
                return False
            time.sleep(_STEP_SECONDS)
    except Error as failure:
        fitness.avoid(type(failure).__name__)
        return False


def _why_unfit() -> str:
    try:
        with connections[ALIAS].cursor() as cursor:
            cursor.execute(_STATE)
            is_standby, behind, unheard = cursor.fetchone()
    except Error as failure:
        return type(failure).__name__
    if not is_standby:  # promoted: it is the primary by now
        return ""
    if behind is None or behind > MOST_SECONDS_BEHIND:
        return "behind"
    if unheard is None or unheard > MOST_SECONDS_UNHEARD:
        return "primary not heard"
    return ""
