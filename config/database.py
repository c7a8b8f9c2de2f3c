"""Database time-outs of this process, and clean-up on the server after a time-out.

A stopped server or a vanished machine closes no connection: a read would wait for ever. The web server and
the workers set a limit; commands are interrupted by their user.
"""

import select
import time
from typing import Any, Self, cast

import environ
import psycopg
from psycopg.abc import RV, PQGen
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool

CONNECT_SECONDS = 5
CHECK_SECONDS, CHECKED_SECONDS = 2.0, 1.0
"""For the pool's check of a connection to be answered, and to hold while the server does not hang up."""
WEB_ANSWER_SECONDS = 15.0
"""For one statement, locks included; the slowest page of a million posts takes a fifth of it."""
WORKER_ANSWER_SECONDS = 40.0
"""Less than a task's soft time limit."""
RECONNECT_SECONDS = 4.0
"""How long the pool tries to connect, after 1, 2 and 1 seconds, before it begins anew.

The pool doubles its pause without a limit: after an outage a process would wait for as long again.
"""
IDLE_IN_TRANSACTION_SECONDS = 60
"""A process stopped within a transaction keeps its locks no longer than this."""

NETWORK: dict[str, Any] = {
    "connect_timeout": CONNECT_SECONDS,
    # A vanished machine sends not even a reset: noticed by keep-alive after some 30 s when idle,
    # after 15 s when something was sent.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 15_000,
}
_SESSION = (
    f"SET idle_in_transaction_session_timeout = '{IDLE_IN_TRANSACTION_SECONDS}s';"
    # The server ends a statement whose client hung up.
    " SET client_connection_check_interval = '5s';"
    # For moderation/prepared.py: planning a history again costs ten times what running it does.
    " SET plan_cache_mode = 'force_generic_plan'"
)


class Connection(psycopg.Connection[Any]):
    """A connection with a time-out for answers, closed after a time-out."""

    answer_seconds: float | None = None
    """Seconds, for every connection of the process; None waits for ever."""
    checked_until = 0.0

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:
        """Connect, and set the server's time-outs.

        By SET: PgBouncer does not accept such start-up options.
        """
        connection = super().connect(conninfo, **options)
        connection.execute(_SESSION)
        connection.commit()
        return connection

    def execute(self, query: Any, *arguments: Any, **options: Any) -> psycopg.Cursor[Any]:
        """Run a statement. The empty one is the pool's check of the connection, with a short time-out."""
        if query:
            return super().execute(query, *arguments, **options)
        if time.monotonic() < self.checked_until:
            poll = select.poll()  # select.select knows no file above 1,023
            poll.register(self.fileno(), select.POLLIN)
            if not poll.poll(0):
                return self.cursor()
        self.answer_seconds = CHECK_SECONDS
        try:
            return super().execute(query, *arguments, **options)
        finally:
            del self.answer_seconds
            self.checked_until = time.monotonic() + CHECKED_SECONDS

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Wait for an answer. Raises OperationalError when there is none in time."""
        try:
            return super().wait(gen, interval=interval, timeout=timeout or self.answer_seconds)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                # The answer may still arrive, and could not be matched to its statement.
                self.pgconn.finish()
            raise


def connected_as(pool: ConnectionPool[Any]) -> Connection:
    """Return a new connection like those of a pool; use it as a context, which closes it."""
    return Connection.connect(**cast("dict[str, Any]", pool.kwargs))


def let_go(pool: ConnectionPool[Any]) -> None:
    """Close a pool's idle connections to a server that is shutting down: it waits until all are closed.

    Only a new connection reports the shutdown, by its English message: libpq hides the code of the error.
    So one is begun, and given up before it signs in: a third of the cost.
    """
    if not pool.get_stats()["pool_available"]:
        return
    try:
        options = cast("dict[str, Any]", pool.kwargs) | {"require_auth": "none"}
        psycopg.Connection.connect(**options).close()
    except psycopg.Error as refused:
        if "database system is shutting down" in str(refused):
            pool.drain()


def limit_answers(*, seconds: float) -> None:
    """Set the time-out for all statements of this process."""
    Connection.answer_seconds = seconds


def settings_of(url: str) -> dict[str, Any]:
    """Return Django's settings of the database at an address."""
    database = environ.Env.db_url_config(url, engine="django.db.backends.postgresql")
    return {
        **database,
        "CONN_HEALTH_CHECKS": True,  # a restarted server leaves dead connections in the pool
        "CONN_MAX_AGE": 0,  # the pool keeps the connections; Django's own keeping does not mix with it
        "OPTIONS": {
            **NETWORK,
            **database.get("OPTIONS", {}),
            "pool": {
                "min_size": 0,
                "max_size": 8,
                "max_idle": 30.0,  # each is a process of the server
                "timeout": 5,
                "connection_class": Connection,
                "reconnect_timeout": RECONNECT_SECONDS,
                "reconnect_failed": ConnectionPool.check,
            },
            "prepare_threshold": 5,  # for moderation/prepared.py alone
        },
    }
