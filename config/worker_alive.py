"""A file that a worker touches while it takes messages, or waits for a broker that is away.

A process may run while its worker does nothing: stopped, hung, or no longer reading its connection. From
outside that looks like an empty queue. Asking the worker needs the broker (`celery inspect ping`): during its
outage every worker would seem dead and be restarted for nothing. The file's age needs no broker.
"""

import os
import time
from collections.abc import Callable
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from typing import Any

from celery import Celery, bootsteps
from celery.worker import consumer
from celery.worker.consumer.tasks import Tasks
from kombu.transport import redis

TOUCH_SECONDS = 5.0
ASK_SECONDS = 5
"""After so long without a message the broker says that there is none, and is asked again."""
SILENT_SECONDS = 90.0
"""A worker that got no answer for so long takes no messages. kombu replaces a dead connection long before."""

_answered_at = time.monotonic()
_took_at = RawValue("d", 0.0)
"""Shared with the child processes of the worker, which do not take messages themselves."""


class Channel(redis.Channel):
    """Notes each answer to a request for messages, also that there are none."""

    def _connparams(self, **options: Any) -> Any:
        # kombu closes a lost connection twice. The second time it has forgotten the address: messages in hand
        # raised AttributeError, which ended the worker with all its tasks.
        if self.connection.client is None:
            raise ConnectionError("The broker went away.")
        return super()._connparams(**options)  # type: ignore[misc]  # the stubs show what is public

    def _brpop_read(self, **options: Any) -> Any:
        global _answered_at  # noqa: PLW0603 - a worker has one connection that asks
        _answered_at = time.monotonic()
        return super()._brpop_read(**options)  # type: ignore[misc]  # the stubs show what is public


class Consumer(consumer.Consumer):
    """Touches the file each second in which it waits for a broker that is away."""

    def ensure_connected(self, conn: Any) -> Any:
        """Try until there is a connection."""
        ensure = conn.ensure_connection

        def ensure_alive(*given: Any, **named: Any) -> Any:
            go_on: Callable[[], None] = named.pop("callback")

            def wait() -> None:
                touch()
                go_on()

            return ensure(*given, callback=wait, **named)

        conn.ensure_connection = ensure_alive
        return super().ensure_connected(conn)


class Alive(bootsteps.StartStopStep):
    """Touches the file from the loop that takes messages."""

    requires = (Tasks,)

    def __init__(self, _consumer: consumer.Consumer, **_: Any) -> None:
        """Start without a timer."""
        self._timer: Any = None

    def start(self, started: consumer.Consumer) -> None:
        """Begin with a new connection."""
        global _answered_at  # noqa: PLW0603
        _took_at.value = _answered_at = time.monotonic()
        touch()
        self._timer = started.timer.call_repeatedly(TOUCH_SECONDS, _touch_if_it_takes_messages, (started,))

    def stop(self, _consumer: consumer.Consumer) -> None:
        """End with the connection; the loop touches nothing while another is made."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def install(app: Celery) -> None:
    """Let the worker that this process becomes touch the file; remove an earlier worker's file."""
    redis.Transport.Channel, redis.Transport.brpop_timeout = Channel, ASK_SECONDS
    app.steps["consumer"].add(Alive)
    if path := _file():
        path.unlink(missing_ok=True)


def takes_messages() -> bool:
    """Return whether this process' worker takes messages."""
    return bool(time.monotonic() - _took_at.value < 3 * TOUCH_SECONDS)


def touch() -> None:
    """Say that the worker is alive, where somebody wants to know. A full disk does not end it."""
    if path := _file():
        try:
            path.touch()
        except OSError:
            return


def _touch_if_it_takes_messages(running: Any) -> None:
    """A worker with as many messages as it may hold asks for none: that is work, however long it takes."""
    is_full = not running.task_consumer.channel.qos.can_consume()
    if is_full or time.monotonic() - _answered_at < SILENT_SECONDS:
        _took_at.value = time.monotonic()
        touch()


def _file() -> Path | None:
    path = os.environ.get("SPAMDESK_ALIVE_FILE")
    return Path(path) if path else None
