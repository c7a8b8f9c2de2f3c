"""What the client does when the server is absent, slow, broken or wrong: real local sockets, no mocks."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import numpy as np
import pytest

from scoring import normalise
from scoring.content import Breaker, ContentModel, Unavailable
from tests.scoring.content_server import (
    LocalServer,
    hangs_up,
    http_answer,
    logits_answer,
    silent,
    talks_nonsense,
)

Serve = Callable[[Callable[[socket.socket], None]], LocalServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as servers:
        yield lambda handle: servers.enter_context(closing(LocalServer(handle)))


def model_on(
    port: int, *, scheme: str = "http", timeout_seconds: float = 0.5, **options: Any
) -> ContentModel:
    url = f"{scheme}://127.0.0.1:{port}"
    return ContentModel(url=url, version="1", timeout_seconds=timeout_seconds, **options)


def closed_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        return int(probe.getsockname()[1])


class TestUnavailable:
    @pytest.mark.parametrize("scheme", ["grpc", "http"])
    def test_when_nobody_listens(self, scheme: str) -> None:
        with pytest.raises(Unavailable):
            model_on(closed_port(), scheme=scheme).probabilities(["hello"])

    @pytest.mark.parametrize("scheme", ["grpc", "http"])
    @pytest.mark.parametrize("handle", [hangs_up, talks_nonsense])
    def test_when_the_answer_is_no_answer(
        self, serve: Serve, scheme: str, handle: Callable[[socket.socket], None]
    ) -> None:
        with pytest.raises(Unavailable):
            model_on(serve(handle).port, scheme=scheme).probabilities(["hello"])

    @pytest.mark.parametrize("scheme", ["grpc", "http"])
    def test_within_the_time_limit_when_the_server_is_silent(self, serve: Serve, scheme: str) -> None:
        server = serve(silent)
        started = time.monotonic()

        with pytest.raises(Unavailable):
            model_on(server.port, scheme=scheme, timeout_seconds=0.4).probabilities(["hello"])

        assert 0.3 < time.monotonic() - started < 10.0

    @pytest.mark.parametrize(
        "handle",
        [
            logits_answer([[0.1, 0.2]] * 3, shape=[3, 2]),
            logits_answer([0.1, 0.2], shape=[2]),
            logits_answer([[0.1], [0.2]], shape=[2, 1]),
            logits_answer([[0.1, 0.2], [0.1, float("nan")]], shape=[2, 2]),
            logits_answer([[0.1, 0.2], [float("inf"), 0.1]], shape=[2, 2]),
            logits_answer([[0.1, 0.2]] * 2, shape=[2, 2], name="something else"),
            http_answer(b"<html>a proxy's page</html>"),
            http_answer(b'{"error": "Stub process is not healthy"}', status="500 Internal Server Error"),
        ],
        ids=["count", "rank", "width", "nan", "inf", "name", "not json", "error"],
    )
    def test_when_the_answer_is_not_n_finite_rows(
        self, serve: Serve, handle: Callable[[socket.socket], None]
    ) -> None:
        with pytest.raises(Unavailable):
            model_on(serve(handle).port).probabilities(["one", "two"])

    def test_but_a_usable_answer_is_used(self, serve: Serve) -> None:
        """The same stand-in, answering well: the refusals above are not for its own faults."""
        server = serve(logits_answer([[0.0, 0.0], [-1000.0, 1000.0]], shape=[2, 2]))

        found = model_on(server.port).probabilities(["one", "two"])

        assert found.tolist() == [0.5, 1.0]
        assert found.dtype == np.float64

    def test_is_not_ready(self) -> None:
        assert not model_on(closed_port()).is_ready()


class TestRetry:
    def test_tries_again_when_told_not_now(self, serve: Serve) -> None:
        busy = http_answer(b'{"error": "Exceeds maximum queue size"}', status="503 Service Unavailable")
        well = logits_answer([[0.0, 0.0]], shape=[1, 2])
        answers = iter([busy, well])

        def first_busy_then_well(connection: socket.socket) -> None:
            next(answers)(_OneRequest(connection))

        server = serve(first_busy_then_well)

        [found] = model_on(server.port, attempts=2, timeout_seconds=10).probabilities(["hello"])

        assert found == 0.5
        assert server.connections == 2

    def test_reconnects_after_the_server_cut_an_idle_connection(self, serve: Serve) -> None:
        def one_answer(connection: socket.socket) -> None:
            logits_answer([[0.0, 0.0]], shape=[1, 2])(_OneRequest(connection))

        server = serve(one_answer)
        model = model_on(server.port)

        assert [model.probabilities(["hello"])[0] for _ in range(3)] == [0.5] * 3
        assert server.connections == 3

    def test_does_not_repeat_what_failed_for_good(self, serve: Serve) -> None:
        server = serve(http_answer(b'{"error": "no such model"}', status="404 Not Found"))
        model = model_on(server.port, attempts=5)

        with pytest.raises(Unavailable, match="no such model"):
            model.probabilities(["hello"])


def overhearing(received: bytearray) -> Callable[[socket.socket], None]:
    """Answer well, and keep what was asked."""

    def handle(connection: socket.socket) -> None:
        with _Overheard(connection, received) as overheard:
            logits_answer([[0.0, 0.0]], shape=[1, 2])(overheard)

    return handle


class TestNormaliser:
    def test_stands_in_front(self, serve: Serve) -> None:
        received = bytearray()

        server = serve(overhearing(received))
        model = model_on(server.port, normaliser=normalise.VERSION)

        model.probabilities(["f r e e"])

        assert len(b"free").to_bytes(4, "little") + b"free" in bytes(received)

    def test_refuses_a_release_fitted_with_another(self) -> None:
        with pytest.raises(normalise.VersionMismatch):
            ContentModel(url="grpc://127.0.0.1:1", version="1", normaliser="0.9")

    def test_reads_a_huge_text_in_bounded_time_and_size(self, serve: Serve) -> None:
        received = bytearray()

        server = serve(overhearing(received))
        started = time.process_time()

        model_on(server.port).probabilities([" " * 100_000 + "win a prize " * 100_000])

        assert time.process_time() - started < 2.0
        assert 19_000 < len(received) < 25_000


def standing_clock() -> float:
    return 0.0


class TestBreaker:
    def test_fails_at_once_after_failures_in_a_row(self, serve: Serve) -> None:
        server = serve(hangs_up)
        model = model_on(server.port, attempts=1, breaker_failures=3, clock=standing_clock)
        for _ in range(3):
            with pytest.raises(Unavailable):
                model.probabilities(["hello"])
        asked = server.connections

        with pytest.raises(Unavailable, match="not asked: 3 calls in a row failed"):
            model.probabilities(["hello"])

        assert server.connections == asked

    def test_a_probe_that_succeeds_closes_it(self, serve: Serve) -> None:
        is_well = threading.Event()

        def handle(connection: socket.socket) -> None:
            if is_well.is_set():
                logits_answer([[0.0, 0.0]], shape=[1, 2])(connection)
            connection.close()

        server = serve(handle)
        model = model_on(server.port, attempts=1, breaker_failures=1, clock=standing_clock)
        assert not model.is_ready()
        with pytest.raises(Unavailable, match="not asked"):
            model.probabilities(["hello"])
        is_well.set()

        assert model.is_ready()
        assert model.probabilities(["hello"]).tolist() == [0.5]

    def test_lets_one_caller_try_after_the_pause(self) -> None:
        now = [100.0]
        breaker = Breaker(failures=2, seconds=10.0, clock=lambda: now[0])
        breaker.record(succeeded=False)
        breaker.check()
        breaker.record(succeeded=False)
        with pytest.raises(Unavailable):
            breaker.check()
        now[0] = 110.0

        breaker.check()

        with pytest.raises(Unavailable):
            breaker.check()
        breaker.record(succeeded=True)
        breaker.check()

    def test_a_success_forgets_earlier_failures(self) -> None:
        breaker = Breaker(failures=2, seconds=10.0, clock=lambda: 0.0)

        for succeeded in (False, True, False, True, False):
            breaker.record(succeeded=succeeded)

        breaker.check()


class TestSettings:
    @pytest.mark.parametrize("url", ["localhost:8001", "ftp://host:1", "grpc://host", "http://:80", ""])
    def test_refuses_an_address_it_cannot_use(self, url: str) -> None:
        with pytest.raises(ValueError, match="expected grpc://host:port"):
            ContentModel(url=url, version="1")

    @pytest.mark.parametrize("batch_size", [0, 129])
    def test_refuses_a_batch_size_the_server_would_refuse(self, batch_size: int) -> None:
        with pytest.raises(ValueError, match="batch_size"):
            ContentModel(url="grpc://127.0.0.1:1", version="1", batch_size=batch_size)


class _Overheard(socket.socket):
    """Wraps a connection and keeps what came in."""

    def __init__(self, connection: socket.socket, received: bytearray) -> None:
        super().__init__(fileno=connection.detach())
        self._received = received

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        chunk = super().recv(size, flags)
        self._received += chunk
        return chunk


class _OneRequest(socket.socket):
    """Wraps a connection so that its handler stops after one answer."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(fileno=connection.detach())
        self._is_answered = False

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        if self._is_answered:
            self.close()
            return b""
        return super().recv(size, flags)

    def sendall(self, content: object, flags: int = 0, /) -> None:
        super().sendall(content, flags)  # type: ignore[arg-type]  # any bytes-like
        self._is_answered = True
