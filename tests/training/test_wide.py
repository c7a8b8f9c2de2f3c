"""The wide half: which pieces and pairs it sees, what it learns, how it answers."""

from __future__ import annotations

import numpy as np
import pytest

from training import wide

pytest.importorskip("sklearn", reason="scikit-learn is in the train group")

VOCABULARY = 50
CLS, SEP, FREE, CASH, HELLO, FRIEND, DOG = 2, 3, 10, 11, 12, 13, 14


def text(*pieces: int) -> list[int]:
    return [CLS, *pieces, SEP]


def fitted(texts: list[list[int]], labels: list[int], weights: list[float] | None = None) -> wide.Wide:
    return wide.fit(
        texts, labels=labels, weights=weights or [1.0] * len(texts), vocabulary=VOCABULARY, seed=1
    )


@pytest.fixture(scope="module")
def model() -> wide.Wide:
    spam, ham = text(FREE, CASH), text(HELLO, FRIEND)
    return fitted([spam] * 8 + [ham] * 8 + [text(DOG)], [1] * 8 + [0] * 9)


class TestMargins:
    def test_tells_what_it_learned(self, model: wide.Wide) -> None:
        spam, ham = model.margins([text(FREE, CASH), text(HELLO, FRIEND)])

        assert ham < -1 < 1 < spam

    def test_a_piece_counts_once(self, model: wide.Wide) -> None:
        once, often = model.margins([[FREE, FREE], [FREE] * 40])

        assert often == pytest.approx(once)

    def test_order_is_seen(self, model: wide.Wide) -> None:
        learned, turned = model.margins([text(FREE, CASH), text(CASH, FREE)])

        assert learned > turned > 0

    def test_a_piece_of_one_text_says_nothing(self, model: wide.Wide) -> None:
        nothing, of_one_text = model.margins([[], [DOG]])

        assert model.weights[DOG] == model.squares[DOG] == 0
        assert of_one_text == nothing == pytest.approx(model.bias)

    def test_is_the_sum_over_the_length(self, model: wide.Wide) -> None:
        pair = VOCABULARY + int(wide.pair_codes(VOCABULARY)[FREE]) + CASH
        held = [FREE, CASH, pair]

        (found,) = model.margins([[FREE, CASH]])

        assert found == pytest.approx(
            model.weights[held].sum() / np.sqrt(model.squares[held].sum()) + model.bias
        )


def test_a_text_counts_by_its_weight() -> None:
    texts, labels = [text(FREE), text(FREE), text(CASH), text(CASH)] * 4, [1, 0, 1, 0] * 4

    doubted = fitted(texts, labels, [0.1, 1.0, 1.0, 1.0] * 4)

    free, cash = doubted.margins([text(FREE), text(CASH)])
    assert free < cash


def test_every_pair_has_a_row_behind_the_pieces() -> None:
    vocabulary = 30_522
    codes = wide.pair_codes(vocabulary).astype(np.int64)

    assert codes.min() >= 0
    assert vocabulary + codes.max() + vocabulary - 1 < wide.rows(vocabulary)


def test_a_mix_adds_log_odds() -> None:
    mix = wide.Mix(deep=0.5, wide=2.0, intercept=-1.0)

    found = mix.probabilities(deep=np.array([4.0]), wide=np.array([1.0]))

    assert found == pytest.approx(1 / (1 + np.exp(-3.0)))


def test_a_mix_can_be_calibrated_and_can_calibrate_first() -> None:
    mix = wide.Mix(deep=0.5, wide=2.0, intercept=-1.0)

    calibrated, after = mix.calibrated((3.0, 0.25)), mix.after((4.0, -2.0))

    assert calibrated == wide.Mix(deep=1.5, wide=6.0, intercept=-2.75)
    assert after == wide.Mix(deep=2.0, wide=2.0, intercept=-2.0)
