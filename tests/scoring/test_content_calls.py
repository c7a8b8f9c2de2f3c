"""A client of the content model asks about no text twice, and waits for its turn."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.content import FIRST, LAST, ContentModel, ContentScore, Unavailable
from tests.scoring.content_server import LocalServer, logits_answer

TEXTS = st.lists(st.lists(st.sampled_from(["a", "bb", "ccc", "dddd", ""]), max_size=9), max_size=5)


class _Told(ContentModel):
    """Answers by the length of a text, without a server, and notes what it was asked."""

    def __init__(self, **options: int) -> None:
        super().__init__(url="grpc://127.0.0.1:1", version="1", **options)  # type: ignore[arg-type]  # counts
        self.asked: list[str] = []

    def _ask(self, texts: Sequence[str], *, outputs: Sequence[str]) -> list[ContentScore]:
        self.asked += texts
        vector = b"\x7f" if "vector" in outputs else b""
        return [ContentScore((0.0, len(text)), vector) for text in texts]


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


class TestMemory:
    @given(calls=TEXTS, remembers=st.integers(0, 4), batch_size=st.integers(1, 4))
    def test_says_the_same(self, calls: list[list[str]], remembers: int, batch_size: int) -> None:
        model = _Told(remembers=remembers, batch_size=batch_size)

        for texts in calls:
            assert [score.logits for score in model.scores(texts)] == [(0.0, len(text)) for text in texts]

    @pytest.mark.parametrize(
        ("remembers", "asked"),
        [(0, ["a", "bb", "a", "bb", "ccc", "a"]), (2, ["a", "bb", "ccc", "a"]), (3, ["a", "bb", "ccc"])],
    )
    def test_asks_about_what_it_does_not_remember(self, remembers: int, asked: list[str]) -> None:
        model = _Told(remembers=remembers)

        for texts in (["a", "bb"], ["a", "bb", "ccc"], ["a"]):
            model.scores(texts)

        assert model.asked == asked

    def test_an_answer_without_vector_stands_for_none_with_one(self) -> None:
        model = _Told(remembers=9)
        model.probabilities(["a"])

        assert [score.vector for score in model.scores(["a", "bb"])] == [b"\x7f", b"\x7f"]
        model.probabilities(["a"])
        assert model.asked == ["a", "a", "bb"]

    def test_remembers_no_failure(self, monkeypatch: pytest.MonkeyPatch) -> None:
        model = _Told(remembers=9)
        answer: Callable[..., list[ContentScore]] = model._ask

        def away(texts: Sequence[str], *, outputs: Sequence[str]) -> list[ContentScore]:
            raise Unavailable("switched off by the test")

        monkeypatch.setattr(model, "_ask", away)
        with pytest.raises(Unavailable):
            model.scores(["a"])
        monkeypatch.setattr(model, "_ask", answer)

        assert model.scores(["a"])[0].logits == (0.0, 1.0)


class TestTurns:
    @pytest.mark.parametrize(("priority", "is_alone"), [(LAST, True), (FIRST, False)])
    def test_of_the_last_priority_are_made_one_at_a_time(self, priority: int, is_alone: bool) -> None:
        server = _Busy()
        model = ContentModel(
            url=f"http://127.0.0.1:{server.port}", version="1", priority=priority, timeout_seconds=20
        )

        with ThreadPoolExecutor(THREADS) as pool:
            found = list(pool.map(lambda _: model.probabilities(["hello"])[0], range(THREADS)))

        server.close()
        assert found == [0.5] * THREADS
        assert server.has_two.is_set() is not is_alone
