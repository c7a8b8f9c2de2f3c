"""Heartbeats: each process writes now and then, through its own pool, that it works with the database.

`moderation/queries/health/processes.py` reads them. Not sent by a task: that would wait behind a backlog, or
behind a training run of hours.
"""

import threading
import time
from collections.abc import Callable, Sequence

from django.db import Error, connection, connections
from django.db.models.functions import Now

from config import database
from moderation.models import Heartbeat

SECONDS = 5.0
_AGAIN_SECONDS = 1.0
"""After a failure: each attempt waits for a connection, and is served as soon as there is one."""


def start(senders: Sequence[str], *, is_working: Callable[[], bool]) -> None:
    """Send the heartbeats of this process from a thread of its own, as long as it is working.

    Senders are the queues that it takes messages from; `beat` and `web` are named by themselves.
    """
    arguments = (sorted(senders), is_working)  # in one order: two processes would wait for each other's rows
    threading.Thread(target=_go_on, args=arguments, name="heartbeat", daemon=True).start()


def _go_on(senders: list[str], is_working: Callable[[], bool]) -> None:
    while True:
        pause = SECONDS
        try:
            if is_working():
                _send(senders)
        except Error:
            pause = _AGAIN_SECONDS
        finally:
            connection.close()
        for each in connections.all():
            database.let_go(each)
        time.sleep(pause)


def _send(senders: list[str]) -> None:
    Heartbeat.objects.bulk_create(
        [Heartbeat(sender=sender, at=Now()) for sender in senders],
        update_conflicts=True,
        unique_fields=["sender"],
        update_fields=["at"],
    )
