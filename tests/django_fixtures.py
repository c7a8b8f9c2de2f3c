"""Servers as fixtures, and workers that are real processes on the test database."""

import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from socketserver import StreamRequestHandler

import pytest
import redis
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.test import TransactionTestCase, override_settings
from django.utils import translation
from pytest_django import Settings
from pytest_django.plugin import DjangoDbBlocker

from deploy.local import application, ports, postgres_files
from deploy.local.places import ROOT, State
from deploy.local.postgres import Postgres
from deploy.local.supervisor import Supervisor
from moderation.models import DeskSettings, desk_settings
from moderation.operations.infrastructure import outage
from tests import emptying, migrated, servers

_START_SECONDS = 60

# Django's live server writes head and body of an answer apart. On a connection that is kept, each body would
# wait 40 ms, until the client acknowledges the head.
StreamRequestHandler.disable_nagle_algorithm = True


def wait_until(holds: Callable[[], bool], *, seconds: float = 60) -> None:
    """Wait until it holds; fails after so many seconds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never holds"
        time.sleep(0.1)


def database_url() -> str:
    """Return the address of the test database."""
    settings = connection.settings_dict
    login = f"{settings['USER']}:{settings['PASSWORD']}@{settings['HOST']}:{settings['PORT']}"
    return f"postgresql://{login}/{settings['NAME']}"


@pytest.fixture(scope="session")
def postgres() -> None:
    """Have PostgreSQL run."""
    servers.ensure("postgres")


@pytest.fixture(scope="session")
def broker() -> None:
    """Have Valkey run."""
    servers.ensure("broker")


@pytest.fixture(scope="session")
def triton() -> None:
    """Have Triton run."""
    servers.ensure("triton")


def _bear_long_pauses(connection: BaseDatabaseWrapper, **_: object) -> None:
    """Keep a test's transaction: its first import of a library takes a starved processor over a minute."""
    with connection.cursor() as cursor:
        cursor.execute("SET idle_in_transaction_session_timeout = 0")


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest, postgres: None, broker: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Create the database; the broker runs beside it, since what is stored is enqueued and counted there.

    At last, end the sessions that a pool or a killed worker left, or the database could not be dropped.
    """
    connection_created.connect(_bear_long_pauses)
    with migrated.once(django_db_blocker):
        request.getfixturevalue("django_db_setup")  # pytest-django's
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", emptying.empty)
        yield
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )


@pytest.fixture(scope="session", autouse=True)
def quick_settings() -> Iterator[None]:
    """Hash passwords in few rounds, and find static files when asked: each client would list all of them."""
    with override_settings(PASSWORD_HASHERS=["tests.passwords.FewRounds"], WHITENOISE_AUTOREFRESH=True):
        yield


@pytest.fixture(autouse=True)
def own_language() -> Iterator[None]:
    """Forget the language of the last request that a test made: Django leaves it on the thread."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def no_outage() -> Iterator[None]:
    """Forget the outages that a test made: for a minute this process would say that it is not ready."""
    yield
    outage._noted.clear()


@pytest.fixture(autouse=True)
def remembered(monkeypatch: pytest.MonkeyPatch) -> DeskSettings:
    """Return the settings as this process remembers them: a test changes them there."""
    # A platform's first posts are checked so often that tests of one post would meet the sample.
    monkeypatch.setattr(desk_settings._Kept, "until", math.inf)
    monkeypatch.setattr(desk_settings._Kept, "row", DeskSettings(audit_first_percent=2))
    return desk_settings._Kept.row


@pytest.fixture(autouse=True)
def patience_with_wrong_keys(settings: Settings) -> None:
    """Let the wrong keys of many tests, all from one address, hold up no right one of another test."""
    settings.WRONG_KEYS_PER_MINUTE = settings.WRONG_KEYS_BURST = 1_000_000


@pytest.fixture
def empty_server() -> Iterator[dict[str, str]]:
    """A PostgreSQL server of its own without a table; the environment of commands that use it."""
    # Short and world-traversable: the database's user must reach it when root runs the tests.
    state = State(Path(tempfile.mkdtemp(prefix="spamdesk-tests-")))
    state.path.chmod(0o711)
    server = Postgres(state=state, port=ports.free(), is_for_tests=True)
    environment = os.environ | {
        "DATABASE_URL": server.url,
        "SPAMDESK_STATE_DIR": str(state.path),
        "SPAMDESK_POSTGRES_PROGRAMS": str(postgres_files.binaries()),
    }
    try:
        with Supervisor(
            logs=state.folder("logs"), mark=str(state.path), environment=os.environ, say=lambda _line: None
        ) as supervisor:
            supervisor.launch(server.service())
            supervisor.wait_until_up(["postgres"])
            yield environment
    finally:
        shutil.rmtree(state.path, ignore_errors=True)


@pytest.fixture
def celery_worker_process(transactional_db: None) -> Iterator["subprocess.Popen[bytes]"]:
    """A real worker of all queues in a process group of its own, on the test database and an empty broker.

    Needs committed rows, hence the transactional database. Kill it with `os.killpg(process.pid, SIGKILL)`.
    """
    with working(queues=[queue for kind in application.workers() for queue in kind.queues]) as worker:
        yield worker


@contextmanager
def working(
    *, queues: Sequence[str], pool: str = "prefork", concurrency: int = 2
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a worker of some queues, on the test database and an empty broker."""
    with redis.Redis.from_url(os.environ["CELERY_BROKER_URL"]) as broker:
        broker.flushdb()  # other tests enqueue, too, and nobody took their messages
    variables = {**os.environ, "DATABASE_URL": database_url()}
    DeskSettings.objects.get_or_create(defaults={"audit_first_percent": 2})  # like `remembered`
    with tempfile.TemporaryDirectory(prefix="spamdesk-worker-") as folder:
        ready, log = Path(folder) / "ready", Path(folder) / "log"
        with log.open("wb") as output:
            worker = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "celery",
                    "--app=config.celery:app",
                    "worker",
                    f"--queues={','.join(queues)}",
                    f"--pool={pool}",
                    f"--concurrency={concurrency}",
                    "--without-gossip",
                    "--without-mingle",
                    "--without-heartbeat",
                ],
                cwd=ROOT,
                env=variables | {"SPAMDESK_READY_FILE": str(ready)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            _wait_until_ready(worker, ready, log)
            yield worker
        finally:
            _stop(worker)


def _wait_until_ready(worker: "subprocess.Popen[bytes]", ready: Path, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not ready.exists():
        assert worker.poll() is None, f"the worker ended:\n{log.read_text()[-3000:]}"
        assert time.monotonic() < deadline, f"the worker is not ready:\n{log.read_text()[-3000:]}"
        time.sleep(0.05)


def _stop(worker: "subprocess.Popen[bytes]") -> None:
    worker.terminate()
    try:
        worker.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(worker.pid, 9)
        worker.wait()
