"""Fit of a head beside the content margin, and the scripts it has learnt."""

import dataclasses

import numpy as np
import pytest
from scipy.sparse import csr_matrix, diags_array, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from scoring.content import ContentScore
from scoring.ensemble import probabilities_of
from scoring.ngrams import BUCKETS
from tests.scoring.platform_posts import decisions
from tests.scoring.random_records import record
from training import fit_head, head_guards
from training.fit_head import Decisions
from training.labelled_records import LabelledRecord
from training.train_heads import decisions_of


def rare_spam(count: int = 150, *, seed: int = 1) -> Decisions:
    """One post in eight is spam; the content model says nothing."""
    return decisions_of(decisions(count, spam_share=0.125, seed=seed), scores=_heard(count, seed=seed))


def _heard(count: int, *, seed: int) -> list[ContentScore]:
    """A content model that is undecided, with vectors that know nothing."""
    vectors = np.random.default_rng(seed).integers(-127, 128, size=(count, 4), dtype=np.int8)
    return [ContentScore((0.0, 0.0), vector.tobytes()) for vector in vectors]


def posts(text: str, *, spam: int, honest: int, weight: float = 1.0) -> list[LabelledRecord]:
    first = decisions(1)[0]
    return [
        dataclasses.replace(
            first,
            record=record(text=f"{text} {place}"),
            is_spam=place < spam,
            weight=weight,
            group=str(place),
        )
        for place in range(spam + honest)
    ]


def test_fit_comes_to_the_least_cost() -> None:
    """As another solver does in the primal, with a shift that no penalty keeps from the base rate."""
    given = rare_spam()
    centre, spread = fit_head._standard(given.vectors)
    grams = given.grams @ diags_array(fit_head.rarities(given.grams))
    rows = hstack([grams, csr_matrix((given.vectors - centre) / spread)]).tocsr()
    peer = LogisticRegression(C=1.0 / fit_head._WEIGHTS, tol=1e-8, max_iter=5_000)
    peer.fit(rows, given.is_spam, sample_weight=given.weights)

    head = fit_head.fit(given)

    assert fit_head.margins(head, given) == pytest.approx(peer.decision_function(rows), abs=0.15)
    assert head.vector == pytest.approx(peer.coef_[0][grams.shape[1] :] / spread, abs=0.15)


@pytest.mark.parametrize(
    ("labelled", "scripts"),
    [
        (posts("выигрыш", spam=8, honest=8), ["CYRILLIC"]),
        (posts("выигрыш", spam=7, honest=80), []),
        (posts("выигрыш", spam=80, honest=7), []),
        (posts("выигрыш", spam=8, honest=8, weight=0.0), []),
        (posts("おめでとう漢字カタカナ", spam=9, honest=9), ["HAN", "HIRAGANA", "KATAKANA"]),
        (posts("an English sentence with the one word ไทย", spam=9, honest=9), ["LATIN"]),
        (posts("hello", spam=9, honest=9) + posts("สวัสดี", spam=8, honest=9), ["LATIN", "THAI"]),
        (posts("12345", spam=9, honest=9), []),
    ],
    ids=[
        *("enough of either sort", "few spam", "few honest", "complained of", "several at once"),
        *("a word of it", "two languages", "no letters"),
    ],
)
def test_needs_decisions_of_either_sort(labelled: list[LabelledRecord], scripts: list[str]) -> None:
    assert head_guards.scripts_seen(labelled) == scripts


class TestCalibrated:
    def test_says_what_its_margins_mean(self) -> None:
        """Fitted to sixty texts it is too unsure of all others, and where spam is rare it is shifted."""
        given, unseen = rare_spam(100), rare_spam(600, seed=9)

        plain, calibrated = (
            log_loss(unseen.is_spam, probabilities_of(fit_head.margins(head, unseen)))
            for head in (fit_head.fit(given), fit_head.calibrated(given).head)
        )

        assert calibrated < 0.9 * plain

    def test_keeps_the_order_of_the_fit(self) -> None:
        given = rare_spam()
        plain, calibrated = (
            fit_head.margins(head, given) for head in (fit_head.fit(given), fit_head.calibrated(given).head)
        )

        assert (np.diff(calibrated[np.argsort(plain)]) > -1e-3).all()

    def test_what_is_left_out_is_not_what_was_learnt(self) -> None:
        """Of a decision that contradicts all others only a head that had learnt it would know."""
        given = rare_spam()
        place = int(np.flatnonzero(~given.is_spam)[0])
        odd = dataclasses.replace(given, is_spam=given.is_spam ^ (np.arange(150) == place))

        made = fit_head.calibrated(odd)

        assert made.left_out[place] < -2.0
        assert fit_head.margins(made.head, odd)[place] > made.left_out[place] + 2.0


class TestRarities:
    def test_what_all_texts_share_counts_least(self) -> None:
        grams = fit_head.grams_matrix(["aa bb", "aa cc", "aa dd"])
        seen = np.bincount(grams.indices, minlength=BUCKETS)

        found = fit_head.rarities(grams)

        assert found[seen == 3].max() < found[seen == 1].min()
        assert (found[seen == 0] == 0.0).all()

    def test_texts_are_as_long_as_before_on_average(self) -> None:
        grams = fit_head.grams_matrix(["free cash now", "lunch now", "free lunch"])

        scaled = grams @ diags_array(fit_head.rarities(grams))

        assert scaled.power(2).sum() == pytest.approx(grams.power(2).sum())
