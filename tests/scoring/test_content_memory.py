"""A client that remembers asks about no text twice, and gives the same answers as one that does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoring.content import ContentModel, Unavailable

TEXTS = st.lists(st.lists(st.sampled_from(["a", "bb", "ccc", "dddd", ""]), max_size=9), max_size=5)


class _Told(ContentModel):
    """Answers by the length of a text, without a server, and notes what it was asked."""

    def __init__(self, **options: int) -> None:
        super().__init__(url="grpc://127.0.0.1:1", version="1", **options)  # type: ignore[arg-type]  # counts
        self.asked: list[str] = []

    def _logits(self, texts: Sequence[str]) -> NDArray[np.float64]:
        self.asked += texts
        return np.array([[0.0, len(text)] for text in texts])


@given(calls=TEXTS, remembers=st.integers(0, 4), batch_size=st.integers(1, 4))
def test_says_the_same(calls: list[list[str]], remembers: int, batch_size: int) -> None:
    model = _Told(remembers=remembers, batch_size=batch_size)

    for texts in calls:
        assert [score.logits for score in model.scores(texts)] == [(0.0, len(text)) for text in texts]


@pytest.mark.parametrize(
    ("remembers", "asked"),
    [(0, ["a", "bb", "a", "bb", "ccc", "a"]), (2, ["a", "bb", "ccc", "a"]), (3, ["a", "bb", "ccc"])],
)
def test_asks_about_what_it_does_not_remember(remembers: int, asked: list[str]) -> None:
    model = _Told(remembers=remembers)

    for texts in (["a", "bb"], ["a", "bb", "ccc"], ["a"]):
        model.scores(texts)

    assert model.asked == asked


def test_remembers_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    model = _Told(remembers=9)
    answer: Callable[[Sequence[str]], NDArray[np.float64]] = model._logits

    def away(texts: Sequence[str]) -> NDArray[np.float64]:
        raise Unavailable("switched off by the test")

    monkeypatch.setattr(model, "_logits", away)
    with pytest.raises(Unavailable):
        model.scores(["a"])
    monkeypatch.setattr(model, "_logits", answer)

    assert model.scores(["a"])[0].logits == (0.0, 1.0)
