"""Shares with intervals. Promise: they hold at every look of a week, also where the model is blind."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderation.queries.quality import estimates, repeated_looks
from moderation.queries.quality.estimates import FEWEST_SHOWN, Estimate
from moderation.queries.quality.removal import Trials


def of_equal_chances(*, hits: int, labels: int, chance: float = 0.02, looks: int = 1) -> Estimate:
    part = np.arange(labels) < hits
    return estimates.ratio(part=part, whole=np.ones(labels), chances=np.full(labels, chance), looks=looks)


class TestValue:
    def test_weighs_each_label_by_its_inverse_chance_and_its_views(self) -> None:
        many = 30
        part, chances, weights = [1.0, 0.0] * many, [0.1, 0.5] * many, [2.0, 30.0] * many

        estimate = estimates.ratio(part=part, whole=[1.0] * 2 * many, chances=chances, weights=weights)

        assert estimate.value == pytest.approx(20 / (20 + 60))
        assert estimate.labels == 2 * many

    def test_counts_only_labels_of_the_whole(self) -> None:
        whole = np.arange(100) < 40
        part = np.arange(100) < 10

        estimate = estimates.ratio(part=part, whole=whole, chances=np.full(100, 0.5))

        assert estimate.value == pytest.approx(0.25)
        assert estimate.labels == 40

    @pytest.mark.parametrize(("labels", "is_shown"), [(FEWEST_SHOWN - 1, False), (FEWEST_SHOWN, True)])
    def test_is_none_below_twenty_labels(self, labels: int, *, is_shown: bool) -> None:
        assert (of_equal_chances(hits=1, labels=labels).value is not None) == is_shown

    def test_knows_nothing_without_labels(self) -> None:
        empty = np.zeros(0)

        estimate = estimates.ratio(part=empty, whole=empty, chances=empty)

        assert estimate == Estimate(value=None, low=0.0, high=1.0, labels=0)


class TestMoreLabels:
    @pytest.mark.parametrize(("share", "labels"), [(0.02, 400), (0.1, 150), (0.012, 1_000)])
    def test_make_a_wide_interval_as_narrow_as_said(self, share: float, labels: int) -> None:
        dice = np.random.default_rng(4)
        widths = []
        for _ in range(60):
            found = estimates.more_labels(
                of_equal_chances(hits=dice.binomial(labels, share), labels=labels, looks=7)
            )
            if found:
                hits = dice.binomial(labels + found, share)
                then = of_equal_chances(hits=hits, labels=labels + found, looks=7)
                widths.append((then.high - then.low) / 2 / share)

        assert len(widths) > 30
        assert np.median(widths) == pytest.approx(0.3, abs=0.08)

    def test_are_none_where_the_interval_steers_or_nothing_was_found(self) -> None:
        narrow, none = of_equal_chances(hits=500, labels=1_000), of_equal_chances(hits=0, labels=100)

        assert [estimates.more_labels(one) for one in (narrow, none, of_equal_chances(hits=3, labels=9))] == [
            None
        ] * 3


class TestInterval:
    @pytest.mark.parametrize(("hits", "labels"), [(1, 50), (12, 1_000), (300, 600), (95, 100)])
    @pytest.mark.parametrize("looks", [1, 7])
    def test_is_the_likelihood_ratio_interval_of_a_binomial_where_chances_are_equal(
        self, hits: int, labels: int, looks: int
    ) -> None:
        """An independent form: the Kullback-Leibler divergence from the interval's ends is the bound."""
        estimate = of_equal_chances(hits=hits, labels=labels, looks=looks)

        assert estimate.value is not None
        for end in (estimate.low, estimate.high):
            divergence = estimate.value * math.log(estimate.value / end) + (1 - estimate.value) * math.log(
                (1 - estimate.value) / (1 - end)
            )
            assert labels * divergence == pytest.approx(
                repeated_looks.bound(alpha=0.05, looks=looks), rel=0.01
            )

    def test_of_one_sided_labels_is_about_three_over_their_number(self) -> None:
        none, all_of_them = (
            of_equal_chances(hits=0, labels=1_000, looks=7),
            of_equal_chances(hits=1_000, labels=1_000, looks=7),
        )

        assert (none.low, none.high) == pytest.approx((0.0, 0.0031), abs=0.0001)
        assert (all_of_them.low, all_of_them.high) == pytest.approx((1 - 0.0031, 1.0), abs=0.0001)

    @pytest.mark.parametrize("rest", [(), (0.999,)])
    def test_ends_at_one_where_rounding_leaves_a_little(self, rest: tuple[float, ...]) -> None:
        chances = np.array([0.0123, 0.0456, 0.0789] * 9 + list(rest)) ** 4
        part = np.arange(len(chances)) < 27

        estimate = estimates.ratio(part=part, whole=np.ones(len(chances)), chances=chances)

        assert estimate.high == pytest.approx(1.0)
        assert estimate.low < 1.0

    def test_stays_wide_until_rare_chances_were_seen(self) -> None:
        """Ten harmless posts of rare chance and 990 of frequent chance say little of the rare ones."""
        chances = np.where(np.arange(1_000) < 10, 0.001, 0.1)

        estimate = estimates.ratio(part=np.zeros(1_000), whole=np.ones(1_000), chances=chances)

        assert estimate.high > 0.1

    def test_of_views_is_wide_though_no_label_of_a_much_seen_post_was_spam(self) -> None:
        """A share of views says less than a share of posts, and the more the fewer posts have them."""
        part, whole, chances = np.arange(400) < 8, np.ones(400), np.full(400, 0.01)
        uneven = np.where(np.arange(400) % 20 == 19, 1_000.0, 10.0)

        posts, even, some = (
            estimates.ratio(part=part, whole=whole, chances=chances, weights=weights)
            for weights in (None, np.full(400, 7.0), uneven)
        )

        assert (posts.value, even) == (0.02, posts)
        assert some.value == pytest.approx(8 * 10 / (20 * 1_000 + 380 * 10))
        assert some.high - some.low > posts.high - posts.low

    def test_of_views_survives_the_heaviest_label(self) -> None:
        weights = np.where(np.arange(60) == 0, 1e9, 1.0)

        for part in (np.arange(60) == 0, np.arange(60) > 0):
            estimate = estimates.ratio(
                part=part, whole=np.ones(60), chances=np.full(60, 0.5), weights=weights
            )
            assert estimate.value is not None
            assert 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0

    @settings(deadline=None)
    @given(data=st.data())
    def test_holds_the_value_and_mirrors_with_the_part(self, data: st.DataObject) -> None:
        labels = data.draw(st.integers(min_value=1, max_value=60))
        part = np.array(data.draw(st.lists(st.booleans(), min_size=labels, max_size=labels)))
        chance = st.floats(min_value=1e-4, max_value=1.0)
        chances = np.array(data.draw(st.lists(chance, min_size=labels, max_size=labels)))
        share = (part / chances).sum() / (1 / chances).sum()

        estimate = estimates.ratio(part=part, whole=np.ones(labels), chances=chances)
        mirrored = estimates.ratio(part=~part, whole=np.ones(labels), chances=chances)

        assert 0.0 <= estimate.low <= share + 1e-9
        assert share - 1e-9 <= estimate.high <= 1.0
        assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((estimate.low, estimate.high), abs=1e-3)

    def test_widens_with_looks_and_with_certainty(self) -> None:
        part, whole, chances = np.arange(500) < 50, np.ones(500), np.full(500, 0.1)

        widths = [
            one.high - one.low
            for one in (
                estimates.ratio(part=part, whole=whole, chances=chances, looks=1),
                estimates.ratio(part=part, whole=whole, chances=chances, looks=7),
                estimates.ratio(part=part, whole=whole, chances=chances, looks=28),
                estimates.ratio(part=part, whole=whole, chances=chances, looks=28, alpha=0.01),
            )
        ]

        assert widths == sorted(widths)
        assert len(set(widths)) == 4


@pytest.mark.parametrize(
    ("given_values", "named"),
    [
        ({"chances": [0.1]}, "chances has shape"),
        ({"weights": [1.0]}, "weights has shape"),
        ({"chances": [0.0, 0.5]}, "chances are not all"),
        ({"chances": [float("nan"), 0.5]}, "chances are not all"),
        ({"whole": [0.0, 1.0]}, "part is 1 where whole is 0"),
        ({"part": [0.5, 0.0]}, "part and whole"),
        ({"weights": [-1.0, 1.0]}, "weights are not all"),
    ],
)
def test_refusals_name_the_argument(given_values: dict[str, list[float]], named: str) -> None:
    arguments = {"part": [1.0, 0.0], "whole": [1.0, 1.0], "chances": [0.5, 0.5]} | given_values

    with pytest.raises(ValueError, match=named):
        estimates.ratio(**arguments)  # type: ignore[arg-type]  # tests name real arguments


def test_covers_the_truth_at_every_look_of_a_week_where_the_model_is_blind() -> None:
    """1 % of posts are 60 % spam and scored as any other: the normal interval fails in every fourth week."""
    weeks, posts = 150, 20_000
    dice = np.random.default_rng(20)
    held = {"ours": 0, "normal": 0}
    for _ in range(weeks):
        scores = dice.beta(0.15, 12.35, posts)
        is_spam = dice.random(posts) < np.where(dice.random(posts) < 0.01, 0.6, scores)
        doubt = np.sqrt(scores * (1 - scores))
        chances = np.minimum(1.0, 0.03 * (0.3 + 0.7 * doubt / doubt.mean()))
        drawn = np.flatnonzero(dice.random(posts) < chances)
        is_held = {"ours": True, "normal": True}
        for day in range(1, 8):
            seen = drawn[drawn < posts * day // 7]
            truth = is_spam[: posts * day // 7].mean()
            estimate = estimates.ratio(part=is_spam[seen], whole=np.ones(len(seen)), chances=chances[seen])
            is_held["ours"] &= estimate.low <= truth <= estimate.high
            assert estimate.value is not None
            error = np.sqrt((((is_spam[seen] - estimate.value) / chances[seen]) ** 2).sum())
            is_held["normal"] &= abs(estimate.value - truth) <= 1.96 * error / (1 / chances[seen]).sum()
        held = {name: held[name] + is_held[name] for name in held}

    assert held["ours"] >= 0.94 * weeks
    assert held["normal"] < 0.8 * weeks


class TestRepeatedLooks:
    @pytest.mark.parametrize(("share", "most"), [(0.95, 0.0), (0.98, 0.05)])
    def test_promises_falsely_in_one_of_twenty_runs_at_most(self, share: float, most: float) -> None:
        """Looked at after each of 4,000 posts; 0.5 % are left to the chance of 2,000 runs."""
        wrong = (np.random.default_rng(7).random((2_000, 4_000)) >= share).cumsum(axis=1)
        right = np.arange(1, 4_001) - wrong
        needed = np.array([Trials(0, number).missing for number in range(wrong.max() + 1)])

        promised = (right >= needed[wrong]).any(axis=1).mean()

        assert promised <= most + 0.005

    @pytest.mark.parametrize(("share", "posts"), [(1.0, 260), (0.995, 1_500)])
    def test_promises_soon_what_is_true(self, share: float, posts: int) -> None:
        wrong = (np.random.default_rng(7).random((500, posts)) >= share).sum(axis=1)

        assert np.mean([Trials(posts - one, one).is_proven for one in wrong.tolist()]) > 0.8

    def test_knows_nothing_of_no_posts(self) -> None:
        assert repeated_looks.interval(part=0, rest=0, expected=0.98) == pytest.approx((0.0, 1.0), abs=1e-6)

    @pytest.mark.parametrize(
        ("alpha", "looks", "constant"),
        [
            # Pocock 1977, table 1.
            (0.05, 1, 1.960),
            (0.05, 2, 2.178),
            (0.05, 3, 2.289),
            (0.05, 5, 2.413),
            (0.05, 10, 2.555),
            (0.01, 2, 2.772),
            (0.01, 5, 2.986),
        ],
    )
    def test_is_that_of_pococks_table(self, alpha: float, looks: int, constant: float) -> None:
        assert math.sqrt(2 * repeated_looks.bound(alpha=alpha, looks=looks)) == pytest.approx(
            constant, abs=0.002
        )

    @pytest.mark.parametrize(
        ("alpha", "looks", "named"), [(0.0, 7, "alpha"), (1.0, 7, "alpha"), (0.05, 0, "looks")]
    )
    def test_refuses_what_is_no_risk(self, alpha: float, looks: int, named: str) -> None:
        with pytest.raises(ValueError, match=named):
            repeated_looks.bound(alpha=alpha, looks=looks)
