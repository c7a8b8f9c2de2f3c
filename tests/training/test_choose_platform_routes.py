"""A platform's own curve and thresholds move only as far as its random labels prove."""

import dataclasses

import numpy as np
import pytest

from scoring.ensemble import calibrated, content_margins, probabilities_of
from scoring.release import Calibration, Release, Thresholds
from scoring.routing import REMOVE_PRECISION
from tests.scoring.starter import STARTER
from training import calibrate, choose_platform_routes
from training.choose_platform_routes import SHIFTS, SLOPES, Sample, choose, corrected
from training.fit_head import Line

Floats = np.ndarray[tuple[int], np.dtype[np.float64]]
SHARED = dataclasses.replace(
    Release.load(STARTER),
    calibration=Calibration(method="platt"),
    thresholds=Thresholds(review_from=0.1, remove_from=0.97, audit_rate=0.02),
)


def sample(log_odds: Floats, is_spam: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Sample:
    return Sample(
        log_odds=log_odds, is_spam=is_spam, weights=np.ones(len(log_odds)), groups=np.arange(len(log_odds))
    )


def drawn(count: int, *, slope: float = 1.0, shift: float = 0.0, seed: int = 1) -> Sample:
    """Posts of which the log-odds of spam are truly `slope` times what the shared curve says, and `shift`."""
    generator = np.random.default_rng(seed)
    said = generator.normal(-1.0, 3.0, count)
    return sample(said, generator.random(count) < probabilities_of(slope * said + shift))


class TestCurve:
    @pytest.mark.parametrize(("slope", "shift"), [(0.6, 0.0), (1.0, -1.5), (1.6, 1.0)])
    def test_follows_the_platform(self, slope: float, shift: float) -> None:
        found = choose(drawn(800, slope=slope, shift=shift), shared=SHARED)

        unseen = np.linspace(-4.0, 4.0, 9)
        said = calibrated(unseen, calibration=found.routes.calibration)
        assert said == pytest.approx(probabilities_of(slope * unseen + shift), abs=0.12)
        assert found.about["log_losses"]["own"] < found.about["log_losses"]["shared"]

    def test_a_shared_one_that_is_right_stays(self) -> None:
        """A platform's line may be nearly the shared one, never far from it."""
        for seed in range(5):
            found = choose(drawn(300, seed=seed), shared=SHARED)

            unseen = np.linspace(-3.0, 3.0, 7)
            said = calibrated(unseen, calibration=found.routes.calibration)
            assert said == pytest.approx(probabilities_of(unseen), abs=0.12)

    def test_labels_without_sense_do_not_turn_it(self) -> None:
        upside_down = drawn(400)
        upside_down = dataclasses.replace(upside_down, is_spam=~upside_down.is_spam)

        found = choose(upside_down, shared=SHARED)

        assert SLOPES[0] <= found.about["slope"] <= SLOPES[1]
        assert SHIFTS[0] <= found.about["shift"] <= SHIFTS[1]
        assert (np.diff(calibrated(np.linspace(-9, 9, 50), calibration=found.routes.calibration)) > 0).all()

    def test_goes_through_an_isotonic_curve_too(self) -> None:
        shared = Calibration(method="isotonic", margins=[-2.0, 0.0, 2.0], probabilities=[0.1, 0.4, 0.9])

        own = corrected(shared, line=Line(slope=1.5, shift=-0.5))

        said = calibrated(np.array([-2.0, 0.0, 2.0]), calibration=own)
        through = 1.5 * content_margins(np.array([0.1, 0.4, 0.9])) - 0.5
        assert said == pytest.approx(probabilities_of(through))


class TestRemoval:
    def test_begins_earlier_only_where_enough_labels_prove_it(self) -> None:
        """The bound of 98 % needs eighty posts without a single honest one."""
        honest, nearly = np.full(150, -4.0), np.full(300, content_margins(np.array([0.96]))[0])
        found = {}
        for spam in (60, 300):
            log_odds = np.concatenate([honest, nearly[:spam]])
            found[spam] = choose(sample(log_odds, log_odds > 0.0), shared=SHARED)

        few, many = (
            calibrated(nearly[:1], calibration=one.routes.calibration)[0] >= one.routes.thresholds.remove_from
            for one in found.values()
        )
        assert not few
        assert many
        assert found[300].about["removal_precision_at_least"] >= REMOVE_PRECISION

    def test_stops_where_decisions_contradict_it(self) -> None:
        """Of forty posts that would be removed, ten are honest."""
        log_odds = np.concatenate([np.full(200, -4.0), np.full(40, 4.0)])
        is_spam = np.concatenate([np.zeros(200, bool), np.arange(40) >= 10])

        found = choose(sample(log_odds, is_spam), shared=SHARED)

        removed = calibrated(np.array([4.0]), calibration=found.routes.calibration)
        assert removed[0] < found.routes.thresholds.remove_from

    def test_never_begins_below_its_floor(self) -> None:
        found = choose(drawn(3000, slope=2.0, shift=2.0), shared=SHARED)

        assert found.routes.thresholds.remove_from >= calibrate.REMOVE_FLOOR


class TestReview:
    @pytest.mark.parametrize(
        ("honest", "spam", "is_held"), [(40, 160, True), (300, 100, False)], ids=["thin", "proven"]
    )
    def test_honest_posts_need_no_human_once_they_are_proven_so(
        self, honest: int, spam: int, is_held: bool
    ) -> None:
        """With forty posts below, none of them spam, two in a hundred could still be."""
        log_odds = np.concatenate([np.full(honest, -1.5), np.full(spam, 3.0)])

        found = choose(sample(log_odds, log_odds > 0.0), shared=SHARED)

        said = calibrated(np.array([-1.5]), calibration=found.routes.calibration)
        assert bool(said[0] >= found.routes.thresholds.review_from) is is_held
        assert found.routes.thresholds.review_from <= calibrate.REVIEW_CEILING

    def test_begins_earlier_where_spam_is_let_through(self) -> None:
        log_odds = np.concatenate([np.full(300, -5.0), np.full(60, -2.6), np.full(60, 3.0)])

        found = choose(sample(log_odds, log_odds > -4.0), shared=SHARED)

        spam = calibrated(np.array([-2.6]), calibration=found.routes.calibration)
        assert spam[0] >= found.routes.thresholds.review_from
        assert found.routes.thresholds.review_from >= 0.1 / choose_platform_routes.MOST_REVIEW_MOVED

    def test_the_audit_share_stays(self) -> None:
        assert choose(drawn(300), shared=SHARED).routes.thresholds.audit_rate == 0.02


def test_one_heavy_label_does_not_make_a_curve() -> None:
    plain = drawn(300)
    heavy = dataclasses.replace(plain, weights=np.where(np.arange(300) == 0, 500.0, 1.0))

    said = [
        calibrated(np.array([0.0]), calibration=choose(one, shared=SHARED).routes.calibration)[0]
        for one in (plain, heavy)
    ]

    assert said[0] == pytest.approx(said[1], abs=0.1)


def test_below_two_hundred_random_labels_nothing_is_chosen() -> None:
    choose_platform_routes.check(200)

    with pytest.raises(calibrate.TooFewRandom, match="199 random labels, 200 are needed"):
        choose_platform_routes.check(199)
