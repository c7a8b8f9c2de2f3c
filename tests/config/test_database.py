"""A server that is stopped in the middle of a question holds nobody for ever."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg_pool import ConnectionPool

from config import database
from deploy.local.places import ROOT
from tests.django_fixtures import wait_until
from tests.faults.lines import Line, line_to


@pytest.fixture
def line(postgres: None) -> Iterator[Line]:
    with line_to(os.environ["DATABASE_URL"]) as made:
        yield made


@pytest.fixture
def connection(line: Line) -> Iterator[database.Connection]:
    with database.Connection.connect(line.instead_of(os.environ["DATABASE_URL"]), autocommit=True) as made:
        yield made


class TestAnswers:
    def test_wait_no_longer_than_the_process_may(
        self, line: Line, connection: database.Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(database.Connection, "answer_seconds", 0.3)
        began = time.monotonic()

        with line.frozen(), pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")

        assert time.monotonic() - began < 10
        assert connection.closed  # its late answer would be taken for that of the next question

    def test_the_pools_check_gets_little_time(
        self, line: Line, connection: database.Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(database, "CHECK_SECONDS", 0.3)

        with line.frozen(), pytest.raises(psycopg.OperationalError):
            connection.execute("")

        assert database.Connection.answer_seconds is None

    def test_the_pools_check_holds_for_a_moment(self, line: Line, connection: database.Connection) -> None:
        connection.execute("")

        with line.frozen():
            connection.execute("")
        with line.cut(), pytest.raises(psycopg.OperationalError):
            connection.execute("")


class TestPool:
    @pytest.fixture
    def pool(self, line: Line) -> Iterator[ConnectionPool[Any]]:
        url = line.instead_of(os.environ["DATABASE_URL"])
        options = database.settings_of(url)["OPTIONS"]["pool"]
        with ConnectionPool(url, check=ConnectionPool.check_connection, **options) as made:
            yield made

    @pytest.mark.whole
    @pytest.mark.timeout(400)
    @pytest.mark.parametrize(
        "seconds", [17, pytest.param(75, marks=pytest.mark.long), pytest.param(145, marks=pytest.mark.long)]
    )
    def test_is_back_within_five_seconds_of_the_database(
        self, line: Line, pool: ConnectionPool[Any], seconds: float
    ) -> None:
        assert _answers(pool)

        with line.cut():
            ends_at = time.monotonic() + seconds
            while time.monotonic() < ends_at:
                assert not _answers(pool)

        began = time.monotonic()
        while not _answers(pool):
            assert time.monotonic() - began < 5


class TestShutdown:
    @pytest.mark.whole
    def test_that_waits_for_clients_is_not_held_up_by_a_pool(self, empty_server: dict[str, str]) -> None:
        """SIGTERM lets PostgreSQL end when the last connection is closed, and takes no new ones."""
        program = (
            "import time, django; django.setup(); from config import heartbeat;"
            "from django.db import connection; connection.ensure_connection(); connection.pool.resize(3, 8);"
            "connection.close(); heartbeat.start(['web'], is_working=lambda: True); time.sleep(600)"
        )
        process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env=empty_server)
        try:
            with psycopg.connect(empty_server["DATABASE_URL"], autocommit=True) as asking:
                clients = "SELECT count(*) > 3 FROM pg_stat_activity WHERE backend_type = 'client backend'"
                wait_until(lambda: asking.execute(clients).fetchone() == (True,))
                [lock] = asking.execute("SELECT pg_read_file('postmaster.pid')").fetchone() or ()
            os.kill(int(lock.split()[0]), signal.SIGTERM)
            wait_until(lambda: "refused" in _refusal(empty_server["DATABASE_URL"]), seconds=10)
        finally:
            process.kill()
            process.wait()


class TestServer:
    def test_ends_what_a_stopped_process_holds_and_what_nobody_waits_for(
        self, connection: database.Connection
    ) -> None:
        names = ("idle_in_transaction_session_timeout", "client_connection_check_interval")

        shown = [connection.execute("SELECT current_setting(%s)", (name,)).fetchone() for name in names]

        assert shown == [("1min",), ("5s",)]

    def test_a_stopped_process_gives_its_locks_back(self, connection: database.Connection) -> None:
        connection.execute("SET idle_in_transaction_session_timeout = '200ms'")
        connection.execute("BEGIN; SELECT pg_advisory_xact_lock(815, 1)")

        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as other:
            other.execute("SET lock_timeout = '20s'")
            other.execute("SELECT pg_advisory_lock(815, 1)")  # waits until the server ended the holder
            other.execute("SELECT pg_advisory_unlock(815, 1)")

        with pytest.raises(psycopg.Error):
            connection.execute("SELECT 1")


def _answers(pool: ConnectionPool[Any]) -> bool:
    """Ask as a request does."""
    try:
        with pool.connection() as connection:
            return bool(connection.execute("SELECT 1").fetchone())
    except psycopg.OperationalError:
        return False


def _refusal(url: str) -> str:
    """Return why the server takes no connection, "" if it takes one."""
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError as refused:
        return str(refused)
    return ""
