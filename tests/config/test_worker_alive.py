"""A worker that takes no messages leaves a file as it is, and is found; one whose broker is away is not."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from django.utils import timezone
from kombu.transport import redis

from config import heartbeat, worker_alive
from config.celery import app
from deploy.local.places import ROOT
from moderation.models import Heartbeat
from tests.django_fixtures import wait_until, working
from tests.faults.lines import Line, line_to

pytestmark = pytest.mark.whole

DOCUMENTS = list(yaml.safe_load_all((ROOT / "deploy/kubernetes/app.yaml").read_text()))
CONTAINERS = {
    container["name"]: container
    for document in DOCUMENTS
    if document["kind"] == "Deployment"
    for container in document["spec"]["template"]["spec"]["containers"]
}
WORKERS = {name: one for name, one in CONTAINERS.items() if "worker" in one.get("command", ())}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the workers of this test touch."""
    path = tmp_path / "alive"
    monkeypatch.setenv("SPAMDESK_ALIVE_FILE", str(path))
    return path


@pytest.fixture
def line(broker: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """The workers' line to the broker."""
    with line_to(os.environ["CELERY_BROKER_URL"]) as made:
        monkeypatch.setenv("CELERY_BROKER_URL", made.instead_of(os.environ["CELERY_BROKER_URL"]))
        yield made


def passes(file: Path) -> bool:
    """Run the probe of the manifest on a file."""
    *shell, script = WORKERS["scoring"]["livenessProbe"]["exec"]["command"]
    return subprocess.run([*shell, script.replace("/tmp/alive", str(file))], check=False).returncode == 0


def age(file: Path) -> None:
    """Let the file be as it was an hour ago."""
    os.utime(file, (time.time() - 3_600,) * 2)


def seconds_since_heartbeat() -> float:
    """Return the age of the newest one, infinite if there was none."""
    newest = Heartbeat.objects.filter(sender="default").first()
    return (timezone.now() - newest.at).total_seconds() if newest else inf


@pytest.mark.faults
@pytest.mark.timeout(300)
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("pool", ["threads", pytest.param("prefork", marks=pytest.mark.long)])
def test_tells_a_stopped_worker_from_one_whose_broker_is_away(file: Path, line: Line, pool: str) -> None:
    with working(queues=["default"], pool=pool) as worker:
        wait_until(lambda: passes(file))
        age(file)
        assert not passes(file)
        wait_until(lambda: passes(file))  # it takes messages

        wait_until(lambda: seconds_since_heartbeat() < heartbeat.SECONDS)
        with line.cut():
            age(file)
            wait_until(lambda: passes(file))
            wait_until(lambda: seconds_since_heartbeat() > 2 * heartbeat.SECONDS)
        wait_until(lambda: seconds_since_heartbeat() < heartbeat.SECONDS)
        age(file)
        wait_until(lambda: passes(file))  # it takes messages again

        os.killpg(worker.pid, signal.SIGSTOP)
        try:
            age(file)
            time.sleep(2 * worker_alive.TOUCH_SECONDS)
            assert not passes(file)
        finally:
            os.killpg(worker.pid, signal.SIGCONT)
        wait_until(lambda: passes(file))


@pytest.mark.long
@pytest.mark.faults
@pytest.mark.timeout(600)
@pytest.mark.django_db(transaction=True)
def test_a_broker_that_answers_nothing_restarts_nobody(file: Path, line: Line) -> None:
    with working(queues=["default"], pool="threads"), line.frozen():
        ends_at = time.monotonic() + 2 * worker_alive.SILENT_SECONDS
        while time.monotonic() < ends_at:
            age(file)
            wait_until(lambda: passes(file))
            time.sleep(5)


@pytest.mark.parametrize(
    ("is_full", "answered_before", "is_touched"),
    [(False, 1, True), (False, 100, False), (True, 100_000, True)],
    ids=["takes messages", "is answered nothing", "has all that it may hold"],
)
def test_is_touched_by_who_takes_messages_or_has_work(
    is_full: bool, answered_before: float, is_touched: bool, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_alive, "_answered_at", time.monotonic() - answered_before)
    qos = SimpleNamespace(can_consume=lambda: not is_full)
    running: Any = SimpleNamespace(task_consumer=SimpleNamespace(channel=SimpleNamespace(qos=qos)))

    worker_alive._touch_if_it_takes_messages(running)

    assert file.exists() == is_touched


def test_a_worker_is_not_taken_for_the_one_before(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis.Transport, "Channel", redis.Transport.Channel)
    monkeypatch.setitem(app.steps, "consumer", set())
    file.touch()

    worker_alive.install(app)

    assert not file.exists()


def test_a_disk_that_takes_nothing_ends_no_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPAMDESK_ALIVE_FILE", str(tmp_path / "nowhere" / "alive"))

    worker_alive.touch()


class TestManifests:
    @pytest.mark.parametrize("name", WORKERS)
    def test_ask_each_worker_for_the_file_that_it_touches(self, name: str) -> None:
        container = WORKERS[name]
        [variable] = [one for one in container["env"] if one["name"] == "SPAMDESK_ALIVE_FILE"]

        for kind in ("startupProbe", "livenessProbe"):
            assert container[kind] | {"timeoutSeconds": 10} == container[kind]
            assert variable["value"] in container[kind]["exec"]["command"][-1]
        assert Path(variable["value"]).parent.as_posix() in {
            row["mountPath"] for row in container["volumeMounts"]
        }

    def test_there_are_all_workers(self) -> None:
        assert len(WORKERS) == 7
