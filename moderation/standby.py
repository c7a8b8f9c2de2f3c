"""Reads that may be a moment old, from a hot standby of the database where one is named and keeps up.

Lists of the desk, figures of quality and exports read much and change nothing. Within `reading` their queries
go to the standby; writes and locks go to the primary, everywhere. Without a standby, or while it is away or
behind, all goes to the primary.
"""

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
sweep `number_feeds` writes a row every 2 s.
"""

_LOOK_SECONDS = 2.0
MOST_SECONDS_OLD = MOST_SECONDS_UNHEARD + 2 * _LOOK_SECONDS
"""The greatest age of a read: what a look saw counts until the look after the next is due."""

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
    """Whether the standby may be read, as last seen by this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_fit = False
        self._due = self._forgotten = 0.0

    def is_fit(self) -> bool:
        """Tell whether to read from the standby, and never wait for it: if a look is due, a thread looks."""
        now = time.monotonic()
        if now >= self._due and self._lock.acquire(blocking=False):
            # A vanished machine answers nothing for seconds, and nobody's page waits for that.
            threading.Thread(target=self._look_and_close, name="standby", daemon=True).start()
        return self._is_fit and now < self._forgotten

    def look(self) -> bool:
        """Look if it is due, and tell whether to read from the standby."""
        if is_named() and time.monotonic() >= self._due:
            self.set(_why_unfit())
        return self._is_fit

    def set(self, why_unfit: str) -> None:
        """Note what was seen, "" for a standby that is fit; an unfit one is left alone for ten seconds."""
        is_fit, now = not why_unfit, time.monotonic()
        if is_fit != self._is_fit:
            log.warning("standby_fit" if is_fit else "standby_unfit", reason=why_unfit)
        self._is_fit = is_fit
        self._due = now + (_LOOK_SECONDS if is_fit else _AVOIDED_SECONDS)
        self._forgotten = self._due + _LOOK_SECONDS

    def _look_and_close(self) -> None:
        try:
            self.look()
        finally:
            connections.close_all()
            self._lock.release()


fitness = _Fitness()


def is_named() -> bool:
    """Tell whether the installation has a standby to read from."""
    return ALIAS in connections.databases


def connection() -> BaseDatabaseWrapper:
    """Return the connection for SQL that only reads."""
    return connections[_alias.get()]


@contextmanager
def reading(*, waits: bool = True) -> Iterator[bool]:
    """Read from the standby if it is fit; yields whether it is. After an error of the database it is avoided.

    `waits` asks the standby first if that is due; a page goes by what was last seen. Not for code that yields
    to its caller within: the caller would read from the standby, too.
    """
    is_fit = is_named() and (fitness.look() if waits else fitness.is_fit())
    alias = ALIAS if is_fit else DEFAULT_DB_ALIAS
    token = _alias.set(alias)
    try:
        yield alias == ALIAS
    except Error as failure:
        if alias == ALIAS:
            fitness.set(type(failure).__name__)
        raise
    finally:
        _alias.reset(token)


@contextmanager
def reading_all_until_now() -> Iterator[bool]:
    """Read from the standby once it has replayed all that the primary holds now; else from the primary."""
    written = _written() if is_named() and fitness.look() else None
    if written is None or not _has_replayed(written):
        yield False
        return
    with reading() as is_standby:
        yield is_standby


def _written() -> str | None:
    """Return where the primary's log ends now; None if this process was given a standby for the primary."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute("SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_insert_lsn()::text END")
        position: str | None = cursor.fetchone()[0]
        return position


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
        fitness.set(type(failure).__name__)
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
