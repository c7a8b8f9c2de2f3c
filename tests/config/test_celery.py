"""What a worker does before it takes its first task."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection

from config import celery
from config.celery import app
from deploy.local import application
from deploy.local.places import ROOT, State
from tests.django_fixtures import wait_until
from tests.faults.lines import Line, line_to
from tests.libraries import printed

PATIENCE_SECONDS = 3


def test_a_worker_starts_without_shap() -> None:
    program = (
        "import sys; from config.celery import app;"
        "worker = app.WorkController(queues=['campaigns', 'explanations'], pool_cls='solo');"
        "print('shap' in sys.modules)"
    )

    assert printed(program).split()[-1] == "False"


def test_a_worker_imports_no_page() -> None:
    program = (
        "import sys; from config.celery import app;"
        "worker = app.WorkController(queues=['scoring'], pool_cls='solo');"
        "print('moderation.tasks' in sys.modules, 'config.urls' in sys.modules)"
    )

    assert printed(program).split()[-2:] == ["True", "False"]


@pytest.mark.whole
def test_a_worker_starts_where_nothing_can_be_written(broker: None, tmp_path: Path) -> None:
    [kind] = [one for one in application.workers() if one.name == "exports"]
    service = application.worker(kind, state=State(tmp_path))
    ready = Path(service.environment["SPAMDESK_READY_FILE"])

    with Path("/dev/full").open("wb") as log:
        variables = os.environ | dict(service.environment)
        worker = subprocess.Popen(service.command, cwd=ROOT, env=variables, stdout=log, stderr=log)
    try:
        wait_until(lambda: ready.exists() or worker.poll() is not None)
        assert worker.poll() is None
    finally:
        worker.kill()
        worker.wait()


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

        assert isinstance(channel.qos, celery.ForgivingQoS)


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
