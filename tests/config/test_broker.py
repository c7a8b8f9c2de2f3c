"""An acknowledgement that the broker does not take leaves the worker its place for the next message."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from kombu import Connection

from config import broker as ours
from config.celery import app


@pytest.fixture
def connection(broker: None) -> Iterator[Connection]:
    """Connect with a patience of a second."""
    options = {"socket_timeout": 1, "socket_connect_timeout": 5}
    with Connection(os.environ["CELERY_BROKER_URL"], transport_options=options) as made:
        yield made


@pytest.fixture
def delivered(connection: Connection) -> Iterator[tuple[Any, Any]]:
    """Return a channel that takes one message at a time, and the one that it has taken."""
    channel: Any = connection.channel()
    channel.basic_qos(0, 1, False)
    with app.connection_for_write() as patient:
        queue = patient.SimpleQueue("acknowledged")
        queue.put("first")
        yield channel, channel.basic_get("acknowledged")
        queue.clear()


def test_channels_of_the_application_forgive() -> None:
    with app.connection_for_read() as made:
        channel: Any = made.channel()

        assert isinstance(channel.qos, ours.ForgivingQoS)


@pytest.mark.parametrize("how", ["ack", "reject", "requeue"])
def test_a_broker_that_does_not_answer_costs_no_place(
    connection: Connection, delivered: tuple[Any, Any], how: str
) -> None:
    channel, message = delivered
    assert not channel.qos.can_consume()

    with redis.Redis.from_url(os.environ["CELERY_BROKER_URL"]) as server:
        server.client_pause(3_000)
        try:
            with pytest.raises(connection.connection_errors):
                getattr(message, how)()
        finally:
            server.client_unpause()  # answered when the pause is over

    assert channel.qos.can_consume()


def test_one_that_is_taken_frees_its_place_once(delivered: tuple[Any, Any]) -> None:
    channel, message = delivered

    message.ack()

    assert channel.qos.can_consume()
    assert len(channel.qos._dirty) <= 1
