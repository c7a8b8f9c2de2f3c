"""Calls of the last priority go one at a time, so that a server puts at most one of them before scoring."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from scoring.content import FIRST, LAST, ContentModel
from tests.scoring.content_server import LocalServer, logits_answer

THREADS = 4
_answer = logits_answer([[0.0, 0.0]], shape=[1, 2])


class _Busy(LocalServer):
    """Keeps each call until another one comes, or none has come for a while."""

    def __init__(self) -> None:
        super().__init__(self._keep)
        self.has_two = threading.Event()
        self._lock, self._now = threading.Lock(), 0

    def _keep(self, connection: socket.socket) -> None:
        with _Kept(connection, self) as kept:
            _answer(kept)

    def count(self, change: int) -> None:
        with self._lock:
            self._now += change
            if self._now > 1:
                self.has_two.set()


class _Kept(socket.socket):
    def __init__(self, connection: socket.socket, server: _Busy) -> None:
        super().__init__(fileno=connection.detach())
        self._server = server

    def sendall(self, content: object, flags: int = 0, /) -> None:
        self._server.count(1)
        self._server.has_two.wait(0.2)
        self._server.count(-1)
        super().sendall(content, flags)  # type: ignore[arg-type]  # any bytes-like


@pytest.mark.parametrize(("priority", "is_alone"), [(LAST, True), (FIRST, False)])
def test_of_the_last_priority_are_made_one_at_a_time(priority: int, is_alone: bool) -> None:
    server = _Busy()
    model = ContentModel(
        url=f"http://127.0.0.1:{server.port}", version="1", priority=priority, timeout_seconds=20
    )

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda _: model.probabilities(["hello"])[0], range(THREADS)))

    server.close()
    assert found == [0.5] * THREADS
    assert server.has_two.is_set() is not is_alone
