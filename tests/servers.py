"""An early pytest plugin: gives PostgreSQL, Valkey and Triton addresses before Django reads its settings.

pytest-django reads the settings before any conftest.py, so this is loaded with `-p`. No server runs yet: the
first fixture that needs one has server_host.py start it. Under xdist only the controller gives addresses, and
its workers inherit them. A server whose address is in the environment already is never started.
"""

import gc
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local import ports
from deploy.local.child import Child
from deploy.local.places import ROOT, State
from deploy.local.triton import Triton
from tests.server_host import SOCKET, UP, servers

_HOST = pytest.StashKey[Child]()
_VARIABLES = {"postgres": "DATABASE_URL", "broker": "CELERY_BROKER_URL", "triton": "TRITON_URL"}
_START_SECONDS = 100
_STOP_SECONDS = 30


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """Give addresses, unless we are one of xdist's workers or pytest only answers a question.

    A wrapper, because pytest-django reads the settings in the hook that it wraps.
    """
    # Imports and collected tests stay: looking for garbage among them takes a quarter of the time to collect.
    # `pytest_collection_finish` of lanes.py enables it again.
    gc.disable()
    os.environ["SPAMDESK_MODE"] = "test"
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    # Fits of a few hundred rows beside other workers: threads would wait for one another most of the time.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:
        _take_own_broker_database(int(worker.removeprefix("gw")))
    elif not _only_asks(early_config):
        early_config.stash[_HOST] = start_host()
    return (yield)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop what was started."""
    if host := config.stash.get(_HOST, None):
        stop_host(host)


def start_host() -> Child:
    """Give an address to every server that has none, and start the process that can start them."""
    # Short and world-traversable: the database's user must reach it when root runs the tests.
    state = State(Path(tempfile.mkdtemp(prefix="spamdesk-tests-")))
    os.environ["SPAMDESK_STATE_DIR"] = str(state.path)
    state.folder("static")  # WhiteNoise warns of a missing one, and a warning fails a test
    numbers = {name: ports.free() for name, variable in _VARIABLES.items() if not os.environ.get(variable)}
    for name, server in servers(state, numbers).items():
        os.environ[_VARIABLES[name]] = server.url
        if isinstance(server, Triton):
            os.environ["SPAMDESK_TRITON_ADMIN_SOCKET"] = str(server.socket)
    log = state.folder("logs") / "host.log"
    given = (f"{name}={number}" for name, number in numbers.items())
    host = Child(
        [sys.executable, "-m", "tests.server_host", str(state.path), *given],
        log=log,
        environment=os.environ,
        mark=str(state.path),
        folder=ROOT,
    )
    while not (state.path / SOCKET).exists():
        if host.exit_code() is not None:
            raise pytest.UsageError(f"the servers' process ended:\n{log.read_text()}")
        time.sleep(0.02)
    return host


def stop_host(host: Child) -> None:
    """Stop what was started, and remove its state."""
    host.signal(signal.SIGTERM)
    host.wait(seconds=_STOP_SECONDS)
    host.kill_group()
    shutil.rmtree(os.environ["SPAMDESK_STATE_DIR"], ignore_errors=True)


def ensure(name: str) -> None:
    """Return when `postgres`, `broker` or `triton` answers. Raises OSError, with the end of its log."""
    with socket.socket(socket.AF_UNIX) as host:
        host.settimeout(_START_SECONDS)
        host.connect(str(Path(os.environ["SPAMDESK_STATE_DIR"]) / SOCKET))
        host.sendall(f"{name}\n".encode())
        with host.makefile() as answer:
            said = answer.read()
    if said != UP:
        raise OSError(said or f"the process that starts {name} ended")


def _take_own_broker_database(number: int) -> None:
    """Keep xdist's workers apart: a Celery worker must not take the messages of another's tests."""
    address = os.environ["CELERY_BROKER_URL"].rpartition("/")[0]
    os.environ["CELERY_BROKER_URL"] = f"{address}/{number + 1}"


def _only_asks(config: pytest.Config) -> bool:
    options = config.known_args_namespace
    return bool(getattr(options, "help", False) or getattr(options, "version", False))
