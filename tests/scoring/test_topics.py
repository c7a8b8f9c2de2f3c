"""The client of the topics model, against a server of its own that answers as told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scoring import topics
from scoring.topics import TopicModel
from scoring.triton_calls import Unavailable


def model(monkeypatch: pytest.MonkeyPatch, answer: object, asked: list[object]) -> TopicModel:
    found = TopicModel(url="grpc://127.0.0.1:1")

    def call(inputs: object, *, outputs: Sequence[str], seconds: float) -> object:
        asked.append((inputs, *outputs))
        assert seconds > 0
        return {outputs[0]: answer}

    monkeypatch.setattr(found._calls, "_call", call)
    return found


def test_sends_every_topic_with_every_text_and_undoes_disguise(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    found = model(monkeypatch, np.array([[0.25, 0.5]], dtype=np.float32), asked)

    said = found.probabilities(["f r e e crypto"], topics=["cryptocurrency", "x" * 500])

    assert said.tolist() == [[0.25, 0.5]]
    assert asked == [
        ({"TEXT": [["free crypto"]], "TOPICS": [["cryptocurrency", "x" * 200]]}, "PROBABILITIES")
    ]


def test_a_blank_text_is_about_nothing_and_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    found = model(monkeypatch, np.array([[0.25]], dtype=np.float32), asked)

    said = found.probabilities([" \n", "words", "\u200b\u202e"], topics=["sports"])

    assert np.isnan(said[[0, 2], 0]).all()
    assert said[1, 0] == 0.25
    assert len(asked) == 1


def test_asks_nothing_without_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    assert model(monkeypatch, None, asked).probabilities(["a"], topics=[]).shape == (1, 0)
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
def test_refuses_answers_that_cannot_be_right(answer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unavailable):
        model(monkeypatch, answer, []).probabilities(["a"], topics=["sports"])


def test_stops_asking_a_server_that_failed_five_times() -> None:
    now = [0.0]
    found = TopicModel(url="grpc://127.0.0.1:1", timeout_seconds=0.05, clock=lambda: now[0])
    for _ in range(5):
        with pytest.raises(Unavailable):
            found.probabilities(["a"], topics=["sports"])

    with pytest.raises(Unavailable, match="not asked"):
        found.probabilities(["a"], topics=["sports"])

    assert topics.MODEL == "topics"
