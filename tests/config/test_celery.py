"""What a worker does before its first task, and what the scheduler asks for, whatever clock and disk do."""

import os
import subprocess
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from celery import Celery
from celery.beat import ScheduleEntry, SchedulingError
from kombu import Connection

from config import celery, worker_alive
from config.beat import SteadyScheduler
from config.celery import app
from deploy.local import application
from deploy.local.places import ROOT, State
from tests.django_fixtures import wait_until
from tests.faults.lines import Line, line_to
from tests.libraries import printed

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
    transport: Any = connection.transport
    transport.Channel = worker_alive.Channel  # as a worker has it
    channel: Any = connection.channel()
    channel.basic_qos(0, 1, False)
    with app.connection_for_write() as patient:
        queue = patient.SimpleQueue("acknowledged")
        queue.put("first")
        yield channel, channel.basic_get("acknowledged")
        queue.clear()


class Asking(SteadyScheduler):
    """Notes what it asks for, by a clock that the test moves."""

    producer: Any = None  # which would connect to CELERY_BROKER_URL, whatever the app's broker is

    def __init__(self) -> None:
        app = Celery(broker="memory://", set_as_current=False)
        app.conf.beat_schedule = {
            "often": {"task": "often", "schedule": timedelta(seconds=5)},
            "seldom": {"task": "seldom", "schedule": timedelta(seconds=300)},
        }
        self.asked: list[str] = []
        self.messages = 0
        self.is_refused = False
        super().__init__(app=app, lazy=False)
        self.schedule = {name: self.schedule[name] for name in ("often", "seldom")}

    def apply_async(self, entry: ScheduleEntry, *_: object, **__: object) -> None:
        if self.is_refused:
            raise SchedulingError("MISCONF Errors writing to the AOF file: No space left on device")
        self.asked += (entry.kwargs or {})["names"]
        self.messages += 1


@pytest.fixture
def clock() -> Iterator[list[float]]:
    """The monotonic clock, for the test to set."""
    now = [1000.0]
    with patch.object(time, "monotonic", lambda: now[0]):
        yield now


def test_a_worker_imports_its_tasks_and_neither_pages_nor_shap() -> None:
    program = (
        "import sys; from config.celery import app;"
        "worker = app.WorkController(queues=['scoring', 'explanations'], pool_cls='solo');"
        "print(*(name in sys.modules for name in ('moderation.tasks', 'config.urls', 'shap')))"
    )

    assert printed(program).split()[-3:] == ["True", "False", "False"]


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


def test_a_channel_that_was_closed_refuses_as_a_lost_connection(
    connection: Connection, delivered: tuple[Any, Any]
) -> None:
    channel, message = delivered
    channel.connection.client = None  # kombu has let go of it, and closes it once more

    for act in (channel.close, message.ack):
        with pytest.raises(connection.connection_errors):
            act()


def test_one_that_is_taken_frees_its_place_once(delivered: tuple[Any, Any]) -> None:
    channel, message = delivered

    message.ack()

    assert channel.qos.can_consume()
    assert len(channel.qos._dirty) <= 1


class TestSteadyScheduler:
    def test_asks_once_per_period(self, clock: list[float]) -> None:
        beat = Asking()
        waits = beat.tick()
        for second in range(1, 21):
            clock[0] = 1000.0 + second
            beat.tick()

        assert waits == 5.0
        assert beat.asked == ["often"] * 4

    def test_asks_in_one_message_for_all_that_are_due(self, clock: list[float]) -> None:
        beat = Asking()
        beat.tick()
        clock[0] += 299.8
        beat.tick()

        assert beat.asked == ["often", "seldom"]
        assert beat.messages == 1

    @pytest.mark.parametrize("hours", [-1, 1])
    def test_does_not_look_at_the_wall_clock(self, clock: list[float], hours: int) -> None:
        beat = Asking()
        beat.tick()
        wall = time.time()
        with patch.object(time, "time", lambda: wall + 3600 * hours):
            clock[0] += 5
            beat.tick()
            clock[0] += 1
            beat.tick()

        assert beat.asked == ["often"]

    def test_makes_up_for_nothing_after_a_pause(self, clock: list[float]) -> None:
        beat = Asking()
        beat.tick()
        clock[0] += 100
        beat.tick()
        beat.tick()

        assert beat.asked == ["often"]

    def test_goes_on_when_the_broker_takes_nothing(self, clock: list[float]) -> None:
        beat = Asking()
        beat.tick()
        beat.is_refused = True
        clock[0] += 5
        beat.tick()
        assert not beat.reaches_the_broker()
        beat.is_refused = False
        clock[0] += 5
        beat.tick()

        assert beat.asked == ["often"]
        assert beat.reaches_the_broker()
