"""A client that remembers asks about no text twice, and gives the same answers as one that does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.content import ContentModel, ContentScore, Unavailable

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


def test_an_answer_without_vector_stands_for_none_with_one() -> None:
    model = _Told(remembers=9)
    model.probabilities(["a"])

    assert [score.vector for score in model.scores(["a", "bb"])] == [b"\x7f", b"\x7f"]
    model.probabilities(["a"])
    assert model.asked == ["a", "a", "bb"]


def test_remembers_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    model = _Told(remembers=9)
    answer: Callable[..., list[ContentScore]] = model._ask

    def away(texts: Sequence[str], *, outputs: Sequence[str]) -> list[ContentScore]:
        raise Unavailable("switched off by the test")

    monkeypatch.setattr(model, "_ask", away)
    with pytest.raises(Unavailable):
        model.scores(["a"])
    monkeypatch.setattr(model, "_ask", answer)

    assert model.scores(["a"])[0].logits == (0.0, 1.0)
