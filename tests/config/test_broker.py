"""An acknowledgement that the broker does not take leaves the worker its place for the next message."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from kombu import Connection

from config import broker as ours
from config.celery import app
from tests.faults.lines import Line, line_to

PATIENCE_SECONDS = 3


@pytest.fixture
def line(broker: None) -> Iterator[Line]:
    """Have a line of this test's own to the broker, which others use beside it."""
    with line_to(os.environ["CELERY_BROKER_URL"]) as made:
        yield made


@pytest.fixture
def connection(line: Line) -> Iterator[Connection]:
    """Connect with little patience."""
    options = {"socket_timeout": PATIENCE_SECONDS, "socket_connect_timeout": PATIENCE_SECONDS}
    with Connection(line.instead_of(os.environ["CELERY_BROKER_URL"]), transport_options=options) as made:
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


def test_channels_of_the_application_forgive(broker: None) -> None:
    with app.connection_for_read() as made:
        channel: Any = made.channel()

        assert isinstance(channel.qos, ours.ForgivingQoS)


@pytest.mark.whole
@pytest.mark.parametrize("how", ["ack", "reject", "requeue"])
def test_a_broker_that_does_not_answer_costs_no_place(
    line: Line, connection: Connection, delivered: tuple[Any, Any], how: str
) -> None:
    channel, message = delivered
    assert not channel.qos.can_consume()

    with line.frozen(), pytest.raises(connection.connection_errors):
        getattr(message, how)()

    assert channel.qos.can_consume()


def test_one_that_is_taken_frees_its_place_once(delivered: tuple[Any, Any]) -> None:
    channel, message = delivered

    message.ack()

    assert channel.qos.can_consume()
    assert len(channel.qos._dirty) <= 1
