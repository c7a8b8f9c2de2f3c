"""Calibration that keeps order, and thresholds that keep their promises."""

import numpy as np
import pytest

from scoring.ensemble import calibrated, probabilities_of
from scoring.routing import ALLOW_LEAK, REMOVE_PRECISION
from scoring.trees import Floats
from training import calibrate
from training.calibrate import Outcome, choose_calibration, choose_in_circumstances, choose_thresholds

COUNT = 6_000


def drawn(margins: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Truths that margins would have if they were log-odds."""
    return np.random.default_rng(1).random(len(margins)) < probabilities_of(margins)


@pytest.fixture(scope="module")
def margins() -> Floats:
    return np.random.default_rng(0).normal(scale=3, size=COUNT)


class TestChooseCalibration:
    def test_takes_platt_where_the_truth_is_a_sigmoid(self, margins: Floats) -> None:
        choice = choose_calibration(margins, is_spam=drawn(2 * margins - 1), groups=np.arange(COUNT) // 3)

        assert choice.calibration.method == "platt"
        assert choice.calibration.slope == pytest.approx(2, rel=0.1)
        assert choice.calibration.intercept == pytest.approx(-1, rel=0.2)

    def test_takes_isotonic_where_it_is_not(self, margins: Floats) -> None:
        stairs = np.where(margins < -2, -4.0, np.where(margins < 3, 0.0, 1.5))

        choice = choose_calibration(margins, is_spam=drawn(stairs), groups=np.arange(COUNT) // 3)

        assert choice.calibration.method == "isotonic"
        assert choice.log_losses["isotonic"] < choice.log_losses["platt"]

    def test_leaves_log_odds_alone_where_they_are_right(self, margins: Floats) -> None:
        choice = choose_calibration(
            margins, is_spam=drawn(margins), groups=np.arange(COUNT) // 3, among=("as it is", "isotonic")
        )

        assert (choice.calibration.slope, choice.calibration.intercept) == (1.0, 0.0)

    def test_an_isotonic_curve_rises_everywhere(self, margins: Floats) -> None:
        """A staircase would lose the order of the posts on one stair."""
        is_spam = drawn(np.where(margins < 1, -2.0, 2.0))
        curve = calibrate._isotonic(margins, is_spam, np.ones(len(margins)))

        probabilities = calibrated(np.linspace(-12, 12, 500), calibration=curve)

        assert (np.diff(probabilities) > 0).all()
        assert (probabilities > 0).all()
        assert (probabilities < 1).all()


class TestChooseThresholds:
    def test_keep_their_promises_on_the_rows_they_were_chosen_on(self, margins: Floats) -> None:
        probabilities, is_spam = probabilities_of(margins), drawn(margins)

        thresholds = choose_thresholds(probabilities, is_spam=is_spam)

        removed = probabilities >= thresholds.remove_from
        allowed = probabilities < thresholds.review_from
        assert is_spam[removed].mean() >= REMOVE_PRECISION
        assert is_spam[allowed].mean() <= ALLOW_LEAK
        assert thresholds.audit_rate == 0.02

    def test_do_not_trust_a_perfect_separation(self) -> None:
        probabilities = np.array([0.1] * 500 + [0.4] * 500)

        thresholds = choose_thresholds(probabilities, is_spam=probabilities > 0.2)

        assert thresholds.review_from == np.nextafter(0.1, 1.0)
        assert thresholds.remove_from == calibrate.REMOVE_FLOOR

    def test_send_all_to_review_when_no_promise_can_be_kept(self) -> None:
        is_spam = np.arange(400) % 2 == 0

        thresholds = choose_thresholds(np.full(400, 0.5), is_spam=is_spam)

        assert thresholds.remove_from == 1.0
        assert thresholds.review_from <= 0.3

    @pytest.mark.parametrize(
        ("rows", "spam", "apart"),
        [
            (200, 0.3, 2.0), (200, 0.1, 3.0), (700, 0.3, 2.0), (700, 0.05, 1.0), (3_000, 0.3, 3.0),
            (3_000, 0.022, 0.3),
        ],
    )  # fmt: skip
    def test_break_a_promise_in_one_sample_of_ten(self, rows: int, spam: float, apart: float) -> None:
        """The widest range of all whose own bound holds broke it in 14 of 100."""
        random, broken = np.random.default_rng(1), np.zeros(2)

        for _ in range(200):
            is_spam = random.random(rows) < spam
            margins = random.normal(size=rows) + apart * is_spam - apart / 2
            truth = probabilities_of(np.log(spam / (1.0 - spam)) + apart * margins)
            chosen = choose_thresholds(truth, is_spam=is_spam)
            allowed, removed = truth < chosen.review_from, truth >= chosen.remove_from
            broken += (
                truth[allowed].mean() > ALLOW_LEAK if allowed.any() else False,
                truth[removed].mean() < REMOVE_PRECISION if removed.any() else False,
            )

        assert broken.max() <= 0.1 * 200

    def test_a_row_of_weight_three_counts_as_three_rows(self, margins: Floats) -> None:
        is_spam = drawn(margins)
        weights = np.where(margins > 0, 3.0, 1.0)
        repeated = np.repeat(np.arange(COUNT), weights.astype(int))

        curve = calibrate._platt(margins, is_spam, weights)
        same = calibrate._platt(margins[repeated], is_spam[repeated], np.ones(len(repeated)))

        assert curve.slope == pytest.approx(same.slope, rel=1e-3)
        assert curve.intercept == pytest.approx(same.intercept, abs=1e-3)

    def test_few_heavy_rows_prove_little(self) -> None:
        """Twenty honest posts of weight 50 are not a thousand: with so few, two per cent is not shown."""
        probabilities, is_spam = np.linspace(0.0, 0.2, 20), np.zeros(20, dtype=bool)

        thresholds = choose_thresholds(probabilities, is_spam=is_spam, weights=np.full(20, 50.0))

        assert thresholds.review_from == 0.0


def stood(probabilities: Floats, is_spam: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Outcome:
    return Outcome(probabilities=probabilities, is_spam=is_spam)


class TestChooseInCircumstances:
    def test_review_begins_where_the_worst_circumstance_is_best(self, margins: Floats) -> None:
        is_spam = drawn(margins)
        outcomes = [stood(probabilities_of(margins + shift), is_spam) for shift in (-0.5, 0.0, 0.5)]

        chosen = choose_in_circumstances(outcomes).review_from

        for other in (0.5 * chosen, min(1.5 * chosen, calibrate.REVIEW_CEILING)):
            assert _worst(outcomes, chosen) <= _worst(outcomes, other)

    def test_removal_keeps_its_precision_in_every_circumstance(self, margins: Floats) -> None:
        is_spam = drawn(margins)
        usual, pushed = (probabilities_of(margins + shift) for shift in (0.0, 1.5))

        alone = choose_in_circumstances([stood(usual, is_spam)])
        both = choose_in_circumstances([stood(usual, is_spam), stood(pushed, is_spam)])

        assert both.remove_from > alone.remove_from
        assert is_spam[pushed >= both.remove_from].mean() >= REMOVE_PRECISION

    def test_stops_at_the_first_range_that_is_not_proven(self) -> None:
        """What is wrong in it would be excused by what a wider one adds."""
        probabilities = np.repeat([0.99, 0.97, 0.96], [400, 12, 800])
        is_spam = probabilities != 0.97

        assert choose_in_circumstances([stood(probabilities, is_spam)] * 2).remove_from == 0.99

    def test_one_part_alone_removes_from_where_its_own_probability_is_proven(self, margins: Floats) -> None:
        """A model that is less sure than it could be removes earlier, never below the floor."""
        is_spam = drawn(2.0 * margins)
        unsure = stood(probabilities_of(margins), is_spam)

        alone = calibrate.choose_removal([unsure])

        assert calibrate.REMOVE_FLOOR_ON_TEXTS <= alone < calibrate.REMOVE_FLOOR
        assert is_spam[unsure.probabilities >= alone].mean() >= REMOVE_PRECISION

    def test_the_same_texts_again_prove_nothing_more(self) -> None:
        is_spam = np.arange(60) < 40
        outcome = stood(np.where(is_spam, 0.99, 0.01), is_spam)

        assert choose_in_circumstances([outcome]).remove_from == 1.0
        assert choose_in_circumstances([outcome] * 20).remove_from == 1.0


class TestChooseHold:
    def test_costs_no_more_than_its_share(self) -> None:
        opinions = np.linspace(0.0, 1.0, 1_001)

        bound = calibrate.choose_hold(opinions, share=0.03, least=0.5)

        assert 0.0 < (opinions >= bound).mean() <= 0.031

    def test_is_never_below_what_counts_as_sure(self) -> None:
        assert calibrate.choose_hold(np.full(100, 0.1), share=0.03, least=0.5) == 0.5

    def test_a_silent_one_costs_nothing(self) -> None:
        assert calibrate.choose_hold(np.full(100, np.nan), share=0.03, least=0.9) == 0.9


def _worst(outcomes: list[Outcome], threshold: float) -> float:
    return max(
        float(
            calibrate.worse_shares(
                outcome.probabilities, is_spam=outcome.is_spam, thresholds=np.array([threshold])
            )[0]
        )
        for outcome in outcomes
    )
