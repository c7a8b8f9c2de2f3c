"""How long this process waits for the database, and what it leaves behind there when it stops waiting.

A server that was stopped, or a machine that is gone, closes no connection: whoever reads from it would wait
for ever. The web server and the workers set themselves a limit; commands are ended by whoever typed them.
"""

from __future__ import annotations

from typing import Any, Self

import psycopg
from psycopg.abc import RV, PQGen
from psycopg.pq import TransactionStatus

CONNECT_SECONDS = 5
CHECK_SECONDS = 2.0
WEB_ANSWER_SECONDS = 15.0
"""For one statement, locks included; the slowest page of a million posts takes a fifth of it."""
WORKER_ANSWER_SECONDS = 40.0
"""Less than a task's soft time limit."""
IDLE_IN_TRANSACTION_SECONDS = 60
"""A process that was stopped within a transaction keeps its locks no longer than this."""

NETWORK: dict[str, Any] = {
    "connect_timeout": CONNECT_SECONDS,
    # A machine that vanished answers nothing, not even with a refusal: noticed after some 30 s when idle,
    # after 15 s when something was sent.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 15_000,
}
_SESSION = (
    f"SET idle_in_transaction_session_timeout = '{IDLE_IN_TRANSACTION_SECONDS}s';"
    # A statement whose caller hung up ends, too: it would go on reading for nobody.
    " SET client_connection_check_interval = '5s'"
)


class Connection(psycopg.Connection[Any]):
    """A connection that waits no longer for an answer than its process may, and is closed if it had to."""

    answer_seconds: float | None = None
    """For every connection of the process; None waits for ever."""

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:
        """Connect, and tell the server what to end by itself. By SET: PgBouncer takes no such options."""
        connection = super().connect(conninfo, **options)
        is_autocommit, connection.autocommit = connection.autocommit, True
        connection.execute(_SESSION)
        connection.autocommit = is_autocommit
        return connection

    def execute(self, query: Any, *arguments: Any, **options: Any) -> psycopg.Cursor[Any]:
        """Run a statement. The empty one is the pool's question whether the connection still works: a server
        that was stopped gets little time for that.
        """
        if query:
            return super().execute(query, *arguments, **options)
        self.answer_seconds = CHECK_SECONDS
        try:
            return super().execute(query, *arguments, **options)
        finally:
            del self.answer_seconds

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Wait for an answer. Raises OperationalError when there is none in time."""
        try:
            return super().wait(gen, interval=interval, timeout=timeout or self.answer_seconds)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                # The answer may still come: nobody could tell which question it belongs to.
                self.pgconn.finish()
            raise


def limit_answers(*, seconds: float) -> None:
    """Let no statement of this process wait longer than this."""
    Connection.answer_seconds = seconds
