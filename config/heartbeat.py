"""Heartbeats: each process writes now and then that it works with the database, through its own pool.

`moderation/queries/health/processes.py` reads them. Not sent by a task: that would wait behind a backlog, or
behind a training run of hours.
"""

import threading
import time
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import psycopg
from django.db import connection
from psycopg_pool import ConnectionPool

from config import database

SECONDS, REST_SECONDS = 5.0, 25.0
"""From one to the next while the process uses its pool, and while it does not."""
_AGAIN_SECONDS = 1.0
"""After a failure: each attempt waits for a connection, and is served as soon as there is one."""
_SEND = """
INSERT INTO moderation_heartbeat (sender, at) SELECT unnest(%s::text[]), statement_timestamp()
ON CONFLICT (sender) DO UPDATE SET at = excluded.at
"""


def start(senders: Sequence[str], *, is_working: Callable[[], bool]) -> None:
    """Send the heartbeats of this process from a thread of its own, as long as it is working.

    Senders are the queues that it takes messages from; `beat` and `web` are named by themselves.
    """
    arguments = (sorted(senders), is_working)  # in one order: two processes would wait for each other's rows
    threading.Thread(target=_go_on, args=arguments, name="heartbeat", daemon=True).start()


def _go_on(senders: list[str], is_working: Callable[[], bool]) -> None:
    requests, sent_at = 0, -inf
    while True:
        pool: ConnectionPool[Any] = connection.pool  # type: ignore[attr-defined]  # PostgreSQL's
        pause, statistics = SECONDS, pool.get_stats()
        is_free = statistics["pool_available"] == statistics["pool_size"]
        is_used = not is_free or statistics.get("requests_num", 0) != requests
        try:
            if is_working() and (is_used or time.monotonic() - sent_at >= REST_SECONDS):
                # The pool closes what nothing uses, so a pool at rest is left alone.
                with pool.connection() if is_used else database.connected_as(pool) as connected:
                    connected.execute(_SEND, (senders,))
                sent_at = time.monotonic()
        except psycopg.Error:
            pause = _AGAIN_SECONDS
        requests = pool.get_stats().get("requests_num", 0)
        database.let_go(pool)
        time.sleep(pause)
