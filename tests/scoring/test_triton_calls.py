"""Clients of Triton: no text asked twice, one turn at a time, topics in words, answers refused."""

import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import topics
from scoring.content import FIRST, LAST, ContentModel, ContentScore
from scoring.topics import TopicModel
from scoring.triton_calls import Unavailable
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


def told_model(monkeypatch: pytest.MonkeyPatch, answer: object, asked: list[object]) -> TopicModel:
    found = TopicModel(url="grpc://127.0.0.1:1", content=ContentModel(url="grpc://127.0.0.1:1", version="1"))

    def call(inputs: object, *, outputs: Sequence[str], seconds: float) -> object:
        asked.append((inputs, outputs[0]))
        assert seconds > 0
        return {outputs[0]: answer, "VECTOR_WEIGHT": np.zeros((1, 1))}

    monkeypatch.setattr(found._calls, "_call", call)
    return found


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

    def test_asks_about_a_repeated_text_once(self) -> None:
        model = _Told(remembers=0)

        assert [score.logits[1] for score in model.scores(["a", "bb", "a"])] == [1.0, 2.0, 1.0]
        assert model.asked == ["a", "bb"]

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


class TestTopics:
    def test_sends_every_topic_with_every_text_and_undoes_disguise(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[object] = []
        found = told_model(monkeypatch, np.array([[0.25, 0.5]], dtype=np.float32), asked)

        said = found.probabilities(["f r e e crypto"], topics=["cryptocurrency", "x" * 500])

        assert said.tolist() == [[0.25, 0.5]]
        assert asked == [
            ({"TEXT": [["free crypto"]], "TOPICS": [["cryptocurrency", "x" * 200]]}, "PROBABILITIES")
        ]

    def test_a_blank_text_is_about_nothing_and_is_not_sent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[object] = []
        found = told_model(monkeypatch, np.array([[0.25]], dtype=np.float32), asked)

        said = found.probabilities([" \n", "words", "\u200b\u202e"], topics=["sports"])

        assert np.isnan(said[[0, 2], 0]).all()
        assert said[1, 0] == 0.25
        assert len(asked) == 1

    def test_asks_nothing_without_topics(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[object] = []

        assert told_model(monkeypatch, None, asked).probabilities(["a"], topics=[]).shape == (1, 0)
        assert asked == []

    @pytest.mark.parametrize(
        "answer",
        [
            None,
            np.zeros((2, 1), dtype=np.float32),
            np.array([[np.nan]], dtype=np.float32),
            np.array([[1.5]], dtype=np.float32),
            np.array([[-0.1]], dtype=np.float32),
        ],
        ids=["nothing", "another shape", "not a number", "above one", "below zero"],
    )
    def test_refuses_answers_that_cannot_be_right(
        self, answer: object, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(Unavailable):
            told_model(monkeypatch, answer, []).probabilities(["a"], topics=["sports"])

    def test_stops_asking_a_server_that_failed_five_times(self) -> None:
        now = [0.0]
        content = ContentModel(url="grpc://127.0.0.1:1", version="1")
        found = TopicModel(
            url="grpc://127.0.0.1:1", content=content, timeout_seconds=0.05, clock=lambda: now[0]
        )
        for _ in range(5):
            with pytest.raises(Unavailable):
                found.probabilities(["a"], topics=["sports"])

        with pytest.raises(Unavailable, match="not asked"):
            found.probabilities(["a"], topics=["sports"])

        assert topics.MODEL == "topics"
