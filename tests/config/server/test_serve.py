"""A process of the server, with an application that waits until it is told; and for what one is replaced."""

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from waitress import wasyncore

from config.server import limits, serve
from config.server.watch import STARTING_BEATS, Judge, Progress
from tests.django_fixtures import wait_until


class Busy:
    """Streams nothing before `go_on`; keeps what it was asked."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.asked: list[str] = []

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterator[bytes]:
        self.asked.append(environ["PATH_INFO"])
        self.go_on.wait(30)
        start("200 OK", [("Content-Length", "2")])
        yield b"ok"


class Served:
    """A server in a thread of its own."""

    def __init__(self, busy: Busy) -> None:
        self.busy = busy
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.server = serve._Server(busy, listener)
        self._is_ended = False
        self._clients: list[http.client.HTTPConnection] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._is_ended:
            self.server.turn()

    def end(self) -> None:
        self.busy.go_on.set()
        self._is_ended = True
        self._thread.join()
        for threads in (self.server.task_dispatcher, self.server._beside):
            threads.shutdown()
        wasyncore.close_all(self.server._map)
        for client in self._clients:
            client.close()

    def open(self, path: str = "/", *, length: int = 0, body: bytes = b"") -> http.client.HTTPConnection:
        """Send a request, its body as far as given."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        client.putrequest("POST" if length else "GET", path)
        client.putheader("Content-Length", str(length))
        client.endheaders(body)
        self._clients.append(client)
        return client

    def keep_busy(self) -> list[http.client.HTTPConnection]:
        clients = [self.open() for _ in range(limits.THREADS)]
        wait_until(lambda: len(self.busy.asked) == limits.THREADS)
        return clients


@pytest.fixture
def served() -> Iterator[Served]:
    server = Served(Busy())
    yield server
    server.end()


def judge() -> Judge:
    return Judge(silent_beats=3, stalled_beats=5)


def tick(judge: Judge, times: int, *, process: int = 7, stalled: int | None = None) -> dict[int, str]:
    condemned: dict[int, str] = {}
    for _ in range(times):
        if stalled is not None:
            judge.hear(process, stalled=stalled)
        condemned = judge.tick([process])
    return condemned


def test_the_probe_is_answered_while_every_thread_is_busy(served: Served) -> None:
    served.keep_busy()

    assert served.open("/healthz").getresponse().status == 200


def test_the_probe_fails_once_nothing_is_finished_for_long(served: Served) -> None:
    served.keep_busy()
    for _ in range(limits.STALLED_BEATS):
        served.server.progress.beat()

    assert served.open("/healthz").getresponse().status == 503


def test_what_would_wait_behind_too_many_is_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    served.keep_busy()
    monkeypatch.setattr(limits, "WAITING", 1)
    waiting = served.open()
    wait_until(lambda: len(served.server.task_dispatcher.queue) == 1)

    refused = served.open("/api/v1/posts").getresponse()

    assert (refused.status, refused.headers["retry-after"]) == (503, "5")
    assert b"/problems/unavailable" in refused.read()
    assert served.open("/healthz").getresponse().status == 200
    served.busy.go_on.set()
    assert waiting.getresponse().status == 200


def test_nothing_is_done_for_who_hung_up_while_waiting(served: Served) -> None:
    busy = served.keep_busy()
    gone = served.open()
    wait_until(lambda: len(served.server.task_dispatcher.queue) == 1)
    gone.close()
    wait_until(lambda: len(served.server.active_channels) == limits.THREADS)

    served.busy.go_on.set()

    assert [client.getresponse().status for client in busy] == [200] * limits.THREADS
    assert served.open().getresponse().status == 200
    assert len(served.busy.asked) == limits.THREADS + 1


def test_what_waited_for_too_long_is_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    served.keep_busy()
    waiting = served.open()
    wait_until(lambda: len(served.server.task_dispatcher.queue) == 1)
    monkeypatch.setattr(limits, "WAITING_SECONDS", -1)

    served.busy.go_on.set()

    assert waiting.getresponse().status == 503
    assert len(served.busy.asked) == limits.THREADS


def test_a_body_has_a_limit(served: Served) -> None:
    served.busy.go_on.set()

    largest = served.open(length=limits.BODY_BYTES, body=b"a" * limits.BODY_BYTES)
    refused = served.open("/api/v1/posts", length=limits.BODY_BYTES + 1).getresponse()

    assert largest.getresponse().status == 200
    assert refused.status == 413
    assert b"/problems/body_too_large" in refused.read()


def test_bodies_that_would_fill_memory_are_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HELD_BYTES", 150_000)
    served.busy.go_on.set()
    arriving = served.open(length=120_001, body=b"a" * 120_000)

    assert served.open(length=100_000, body=b"a" * 100_000).getresponse().status == 503
    assert served.open(length=1, body=b"a").getresponse().status == 200
    arriving.send(b"a")
    assert arriving.getresponse().status == 200


def test_a_request_that_comes_too_slowly_is_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0)
    refused = served.open("/api/v1/posts", length=10, body=b"abc").getresponse()

    assert refused.status == 408
    assert b"/problems/body_too_slow" in refused.read()
    assert served.busy.asked == []


def test_progress_stalls_only_while_something_runs_and_nothing_is_finished() -> None:
    progress = Progress()
    seen = []
    for step in (progress.begin, int, int, progress.finish, int, progress.begin):
        step()
        progress.beat()
        seen.append(progress.stalled_beats)

    assert seen == [1, 2, 3, 0, 0, 1]


class TestJudge:
    def test_leaves_a_process_that_beats_alone(self) -> None:
        assert tick(judge(), 50, stalled=4) == {}

    def test_condemns_one_that_has_fallen_silent(self) -> None:
        one = judge()
        tick(one, 1, stalled=0)

        assert tick(one, 2) == {}
        assert tick(one, 1) == {7: "does not run"}

    def test_condemns_one_that_finishes_nothing(self) -> None:
        assert tick(judge(), 1, stalled=5) == {7: "finishes no request"}

    def test_lets_one_start_for_long(self) -> None:
        one = judge()

        assert tick(one, STARTING_BEATS) == {}
        assert tick(one, 1) == {7: "does not start"}

    def test_begins_anew_with_the_process_that_took_its_place(self) -> None:
        one = judge()
        tick(one, 1, stalled=0)
        tick(one, 3)

        assert tick(one, 3, process=8) == {}
