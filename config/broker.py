"""Celery's acknowledgements to the broker, so that one that fails costs no worker its place.

kombu counts a message as delivered until its acknowledgement is written, and Celery only logs one that was
not, so each takes one of the few messages that the worker may hold, for ever. A worker of one process thus
took no task again after the broker had not answered for five seconds, though its connection was whole.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis, virtual


class ForgivingQoS(redis.QoS):
    """Lets go of a message whose acknowledgement fails: the broker delivers it again, to idempotent tasks."""

    def ack(self, delivery_tag: Any) -> None:
        """Acknowledge, and give the message's place back in any case."""
        try:
            super().ack(delivery_tag)
        except redis.Transport.connection_errors:
            virtual.QoS.ack(self, delivery_tag)
            raise

    def reject(self, delivery_tag: Any, *arguments: Any, **named: Any) -> None:
        """Reject, and give the message's place back in any case."""
        try:
            super().reject(delivery_tag, *arguments, **named)
        except redis.Transport.connection_errors:
            virtual.QoS.ack(self, delivery_tag)
            raise


def install() -> None:
    """Let every channel of this process acknowledge so."""
    redis.Channel.QoS = ForgivingQoS
