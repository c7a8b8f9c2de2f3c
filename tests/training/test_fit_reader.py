"""The reader of evidence learns words, is calibrated on families that it has not learnt, and is small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scoring.platform_head import PlatformHead
from training import fit_reader
from training.fit_reader import Readers
from training.worded_texts import Texts, WordedText

_SPAM = ("casino bonus", "verify your wallet", "pills without prescription", "followers for sale")
_HONEST = ("bread in the oven", "the council met", "your library card", "open on weekdays")


@pytest.fixture(scope="module")
def texts() -> Texts:
    return Texts.of(
        [
            WordedText(text=f"{words} number {number}", is_spam=is_spam, family=f"{words} {number % 3}")
            for is_spam, said in ((True, _SPAM), (False, _HONEST))
            for words in said
            for number in range(9)
        ]
    )


@pytest.fixture(scope="module")
def readers(texts: Texts) -> Readers:
    return fit_reader.fit(texts, seed=1)


def test_tells_spam_from_other_texts(readers: Readers) -> None:
    spam, other = readers.whole.alone(["claim the casino bonus now", "the council met in the library"])

    assert spam > 0.5 > other


def test_no_fold_has_learnt_the_family_that_it_reads(texts: Texts, readers: Readers) -> None:
    assert set(readers.fold_of) == set(texts.families.tolist())
    for family in readers.fold_of:
        assert readers.unaware_of([family]) is readers.folds[readers.fold_of[family]]
    assert readers.unaware_of(readers.fold_of) is None
    assert readers.unaware_of(["never seen"]) is readers.whole


def test_what_is_left_out_is_told_apart_too(texts: Texts, readers: Readers) -> None:
    said = np.array(
        [
            readers.folds[readers.fold_of[family]].alone([text])[0]
            for text, family in zip(texts.texts, texts.families.tolist(), strict=True)
        ]
    )

    assert said[texts.is_spam].mean() > said[~texts.is_spam].mean()


def test_is_fitted_in_the_same_way_twice_into_few_bytes(
    texts: Texts, readers: Readers, tmp_path: Path
) -> None:
    again = fit_reader.fit(texts, seed=1)
    readers.whole.save(tmp_path / "reader.npz")

    np.testing.assert_array_equal(again.whole.weights, readers.whole.weights)
    assert len(np.unique(readers.whole.weights)) <= 255
    assert PlatformHead.load(tmp_path / "reader.npz").intercept == readers.whole.intercept
    assert (tmp_path / "reader.npz").stat().st_size < 30_000


def test_spam_weighs_its_share() -> None:
    weights = fit_reader.balanced(np.array([True, False, False]), weights=np.array([5.0, 1.0, 1.0]))

    assert weights[0] / weights.sum() == pytest.approx(fit_reader.SPAM_SHARE)
