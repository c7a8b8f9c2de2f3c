"""An early pytest plugin: starts PostgreSQL, Valkey and Triton once, before Django's settings are read.

pytest-django reads the settings before any conftest.py, so this is loaded with `-p`. Under xdist only the
controller starts servers; its workers inherit the addresses. One whose address is given is not started.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deploy.local import ports
from deploy.local.broker import Broker
from deploy.local.places import State
from deploy.local.postgres import Postgres
from deploy.local.supervisor import Supervisor
from deploy.local.triton import Triton

_SUPERVISOR = pytest.StashKey[Supervisor]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """Start the servers, unless we are one of xdist's workers or pytest only answers a question.

    A wrapper, because pytest-django reads the settings in the hook that it wraps.
    """
    os.environ["SPAMDESK_MODE"] = "test"
    # A platform's first posts are checked so often that tests of one post would meet the sample.
    os.environ.setdefault("SPAMDESK_AUDIT_FIRST_PERCENT", "2")
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:
        _take_own_broker_database(int(worker.removeprefix("gw")))
    elif not _only_asks(early_config):
        _start_servers(early_config)
    return (yield)


def _start_servers(config: pytest.Config) -> None:
    # Short and world-traversable: the database's user must reach it when root runs the tests.
    state = State(Path(tempfile.mkdtemp(prefix="spamdesk-tests-")))
    os.environ["SPAMDESK_STATE_DIR"] = str(state.path)
    state.folder("static")  # WhiteNoise warns of a missing one, and a warning fails a test
    config.stash[_SUPERVISOR] = _start(state)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop what was started."""
    if supervisor := config.stash.get(_SUPERVISOR, None):
        supervisor.stop()
        shutil.rmtree(os.environ["SPAMDESK_STATE_DIR"], ignore_errors=True)


def _take_own_broker_database(number: int) -> None:
    """Keep xdist's workers apart: a Celery worker must not take the messages of another's tests."""
    address = os.environ["CELERY_BROKER_URL"].rpartition("/")[0]
    os.environ["CELERY_BROKER_URL"] = f"{address}/{number + 1}"


def _only_asks(config: pytest.Config) -> bool:
    options = config.known_args_namespace
    return bool(getattr(options, "help", False) or getattr(options, "version", False))


def _start(state: State) -> Supervisor:
    supervisor = Supervisor(
        logs=state.folder("logs"), mark=str(state.path), environment=os.environ, say=lambda _line: None
    )
    servers: tuple[tuple[str, Callable[[], Postgres | Broker | Triton]], ...] = (
        ("DATABASE_URL", lambda: Postgres(state=state, port=ports.free(), is_for_tests=True)),
        ("CELERY_BROKER_URL", lambda: Broker(state=state, port=ports.free())),
        ("TRITON_URL", lambda: _triton(state)),
    )
    started = []
    try:
        for variable, make in servers:
            if not os.environ.get(variable):
                server = make()
                service = server.service()
                os.environ[variable] = server.url
                if isinstance(server, Triton):
                    os.environ["SPAMDESK_TRITON_ADMIN_SOCKET"] = str(server.socket)
                supervisor.launch(service)
                started.append(service.name)
        supervisor.wait_until_up(started)
    except BaseException:
        supervisor.stop()
        raise
    return supervisor


def _triton(state: State) -> Triton:
    return Triton(state=state, grpc_port=ports.free(), metrics_port=ports.free())
