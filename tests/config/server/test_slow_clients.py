"""Trial 28, small: who sends or reads slowly, costs nobody else anything."""

import itertools
import os
import signal
import socket
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.config.server import slow_crowd
from tests.config.server.conftest import LARGE_BYTES, WebServer, serving

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("web server"), pytest.mark.timeout(300)]

CLIENTS, IDLE = 200, 1_000


def test_two_hundred_slow_clients_delay_nobody(web: WebServer, key: str) -> None:
    crowd = list(
        itertools.islice(
            itertools.cycle([*slow_crowd.kinds(key=key, token="a" * 32), slow_crowd.IDLE]), CLIENTS
        )
    )

    with slow_crowd.Crowd(web.port, crowd) as slow:
        web.wait_until(lambda: slow.connected >= CLIENTS - 5, "all connected")
        probes = slow_crowd.probe(web.status, seconds=3)
        pages = slow_crowd.probe(lambda: web.status("/sign-in/"), seconds=3)

    # Half of them, since this runs beside other work.
    assert statistics.median(probes) < 500
    assert statistics.median(pages) < 500
    assert max(probes + pages) < float("inf")


def test_a_thousand_idle_clients_delay_nobody(web: WebServer) -> None:
    with slow_crowd.Crowd(web.port, [slow_crowd.IDLE] * IDLE) as slow:
        web.wait_until(lambda: slow.connected == IDLE, "all connected")
        probes = slow_crowd.probe(web.status, seconds=2)

    assert statistics.median(probes) < 500
    assert max(probes) < float("inf")


def test_a_large_answer_arrives_whole(web: WebServer) -> None:
    with socket.create_connection(("127.0.0.1", web.port), timeout=60) as connection:
        connection.sendall(b"GET /static/large.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        said = b"".join(iter(lambda: connection.recv(1 << 20), b""))

    head, _, body = said.partition(b"\r\n\r\n")
    assert b"200 OK" in head
    assert len(body) == LARGE_BYTES


def test_a_thousand_at_once_are_all_answered(web: WebServer) -> None:
    """Trial 29, small."""
    processes = web.processes()

    def ask(_: int) -> bytes:
        with socket.create_connection(("127.0.0.1", web.port), timeout=120) as connection:
            connection.sendall(b"GET /sign-in/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return b"".join(iter(lambda: connection.recv(65_536), b""))

    with ThreadPoolExecutor(300) as pool:
        answers = list(pool.map(ask, range(300)))

    assert {said[9:12] for said in answers} <= {b"200", b"503"}
    assert all(b"retry-after: " in said.lower() for said in answers if said[9:12] == b"503")
    assert web.processes() == processes


@pytest.mark.whole
def test_what_is_being_answered_is_finished_before_the_end(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> None:
    with serving(django_db_blocker, processes=1) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\nabc")
            time.sleep(0.5)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            connection.sendall(b"def")
            said = connection.recv(65_536)

        assert said.startswith(b"HTTP/1.1 403")
        assert server.process.wait(30) == 0
        assert "rror" not in server.said()


@pytest.mark.whole
def test_a_stopped_process_is_replaced(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    with serving(django_db_blocker, processes=2, silent_seconds=5) as server:
        stopped, other = server.processes()

        os.kill(stopped, signal.SIGSTOP)

        server.wait_until(lambda: stopped not in server.processes(), "replaced")
        server.wait_until(lambda: server.listening() == 2, "complete again")
        assert other in server.processes()
        assert '"reason": "does not run"' in server.said()


@pytest.mark.whole
def test_a_process_whose_parent_was_killed_ends(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> None:
    with serving(django_db_blocker, processes=1) as server:
        server.process.kill()
        server.process.wait()

        server.wait_until(lambda: not server.is_up(), "gone")
