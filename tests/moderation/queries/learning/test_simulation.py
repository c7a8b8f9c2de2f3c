"""The arithmetic of thresholds, by hand: shares, numbers a day, the cheapest pair, the promise."""

import dataclasses

import numpy as np
import pytest

from moderation.queries.learning import simulation
from moderation.queries.learning.dry_run import Change, DryRun
from moderation.queries.learning.simulation import Basis, Costs, Sample
from moderation.queries.learning.traffic import STEPS, Traffic
from moderation.queries.quality.estimates import FEWEST_SHOWN
from scoring.release import Thresholds

USUAL = Thresholds(review_from=0.2, remove_from=0.9, audit_rate=0.0)
COSTS = Costs(missed_spam=1.0, wrong_removal=5.0, minute=0.5)


def sample(*rows: tuple[float, bool, float, int]) -> Sample:
    """Build labels of (probability, is spam, chance, how many)."""
    columns = [np.repeat([row[place] for row in rows], [row[3] for row in rows]) for place in range(3)]
    return Sample(
        probability=columns[0].astype(float),
        is_spam=columns[1].astype(bool),
        chance=columns[2].astype(float),
        is_forced=np.zeros(len(columns[0]), dtype=bool),
    )


def traffic(**posts: int) -> Traffic:
    """Count posts of a week by thousandth: `p050=700` is 700 posts of 5 %."""
    free = np.zeros(STEPS + 1, dtype=np.int64)
    for name, number in posts.items():
        free[int(name[1:])] = number
    return Traffic(free=free, forced=70, days=7.0)


def basis(labels: Sample, *, seconds: float | None = 60.0) -> Basis:
    return Basis(
        labels=labels, counted=traffic(p050=7_000, p400=700, p950=1_400), seconds=seconds, costs=COSTS
    )


LABELS = sample(
    (0.05, False, 0.1, 95), (0.05, True, 0.1, 5), (0.4, True, 1.0, 40), (0.4, False, 1.0, 60),
    (0.95, True, 0.1, 90), (0.95, False, 0.1, 10),
)  # fmt: skip


@pytest.mark.parametrize(
    ("review", "remove", "precision", "missed", "recall", "cases"),
    [
        (0.2, 0.9, 0.9, 0.05, 900 / 990, 110.0),
        (0.2, 1.0, None, 0.05, 0.0, 310.0),
        (0.5, 0.9, 0.9, 90 / 1_100, 900 / 990, 10.0),
        (0.2, 0.3, 940 / 1_100, 0.05, 940 / 990, 10.0),
    ],
    ids=["as it is", "nothing is removed", "less is reviewed", "more is removed"],
)
def test_a_point_by_hand(
    review: float, remove: float, precision: float | None, missed: float, recall: float, cases: float
) -> None:
    thresholds = Thresholds(review_from=review, remove_from=remove, audit_rate=0.0)

    found = simulation.point(thresholds, basis=basis(LABELS))

    assert found.precision.value == (None if precision is None else pytest.approx(precision))
    assert found.missed.value == pytest.approx(missed)
    assert found.recall.value == pytest.approx(recall)
    assert found.cases_per_day == pytest.approx(cases)


def test_numbers_a_day_are_shares_of_counted_posts() -> None:
    thresholds = Thresholds(review_from=0.2, remove_from=0.9, audit_rate=0.1)

    found = simulation.point(thresholds, basis=basis(LABELS))

    assert found.missed_per_day.value == pytest.approx(0.05 * 1_000)
    assert found.wrong_per_day.value == pytest.approx(0.1 * 200)
    assert found.cases_per_day == pytest.approx(110 + 0.1 * 1_200)
    assert found.people == pytest.approx(230 * 60 / (6 * 3_600))
    assert found.cost == pytest.approx(50 * 1 + 20 * 5 + 230 * 0.5)
    assert found.missed_per_day.low < 50 < found.missed_per_day.high


@pytest.mark.parametrize(
    ("route", "band", "gained", "wrong"),
    [
        ("remove", (0.9, 0.96), -190.0, 0.1),
        ("allow", (0.2, 0.5), 100.0, 0.4),
        ("allow", (0.5, 0.6), 100.0, None),
    ],
)
def test_what_moves_is_counted_by_the_dry_run_and_judged_by_labels_of_its_like(
    route: str, band: tuple[float, float], gained: float, wrong: float | None
) -> None:
    moves = (("review", "allow", 700), ("remove", "review", 1_330))
    changes = tuple(Change(before=before, after=after, posts=posts) for before, after, posts in moves)

    found, share = simulation.moved(
        route, *band, basis=basis(LABELS), moves=DryRun(changes=changes, is_whole=True)
    )

    assert found == pytest.approx(gained)
    assert share.value == (None if wrong is None else pytest.approx(wrong))


def test_few_labels_are_no_share() -> None:
    found = simulation.point(USUAL, basis=basis(sample((0.95, True, 0.1, 19))))

    assert (found.precision.value, found.precision.labels, found.cost) == (None, 19, None)


@pytest.mark.parametrize(
    ("review_from", "remove_from"),
    [(0.2, 1.0), (0.0, 0.9)],
    ids=["let through, and none labelled", "removed, and none labelled"],
)
def test_recall_is_unknown_while_a_route_has_no_labels(review_from: float, remove_from: float) -> None:
    thresholds = Thresholds(review_from=review_from, remove_from=remove_from, audit_rate=0.0)
    reviewed = sample((0.4, True, 1.0, 40), (0.4, False, 1.0, 60))

    found = simulation.point(thresholds, basis=basis(reviewed)).recall

    assert (found.value, found.low, found.high, found.labels) == (None, 0.0, 1.0, 40)


def test_people_and_cost_are_unknown_without_a_time_per_case() -> None:
    found = simulation.point(USUAL, basis=basis(LABELS, seconds=None))

    assert (found.people, found.cost) == (None, None)


def test_posts_for_humans_stay_with_them() -> None:
    forced = dataclasses.replace(sample((0.95, True, 1.0, 30)), is_forced=np.ones(30, dtype=bool))

    found = simulation.point(Thresholds(review_from=0, remove_from=0, audit_rate=0), basis=basis(forced))

    assert (found.precision.labels, found.recall.value) == (0, None)
    assert found.cases_per_day == 10


def test_the_cheapest_pair_is_that_of_all_pairs_with_labels() -> None:
    chances = np.random.default_rng(7)
    probability = np.round(chances.random(400), 2)
    labels = Sample(
        probability=probability,
        is_spam=chances.random(400) < probability,
        chance=np.full(400, 1.0),
        is_forced=np.zeros(400, dtype=bool),
    )
    free = np.bincount(np.round(probability * STEPS).astype(int), minlength=STEPS + 1)
    world = Basis(labels=labels, counted=Traffic(free=free, forced=0, days=1.0), seconds=20.0, costs=COSTS)

    found = simulation.cheapest(Thresholds(review_from=0, remove_from=1, audit_rate=0.02), basis=world)

    assert found is not None
    grid = [place / 50 for place in range(51)]
    costs = [
        _cost(labels, review=review, remove=remove)
        for review in grid
        for remove in grid
        if review <= remove
        and (labels.probability < review).sum() >= FEWEST_SHOWN
        and (labels.probability >= remove).sum() >= FEWEST_SHOWN
    ]
    assert _cost(labels, review=found.review_from, remove=found.remove_from) <= min(costs) + 1e-9


@pytest.mark.parametrize("others", [((0.1, False, 1.0, 3), (0.97, True, 1.0, 3)), ()])
def test_nothing_is_cheapest_where_nobody_looked(others: tuple[tuple[float, bool, float, int], ...]) -> None:
    labels = sample((0.5, True, 1.0, 30), (0.5, False, 1.0, 30), *others)
    free = np.zeros(STEPS + 1, dtype=np.int64)
    free[[100, 500, 970]] = 1_000, 60, 300
    world = Basis(labels=labels, counted=Traffic(free=free, forced=0, days=1.0), seconds=20.0, costs=COSTS)

    found = simulation.cheapest(Thresholds(review_from=0, remove_from=1, audit_rate=0.02), basis=world)

    assert found is None


def _cost(labels: Sample, *, review: float, remove: float) -> float:
    missed = (labels.is_spam & (labels.probability < review)).sum()
    wrong = (~labels.is_spam & (labels.probability >= remove)).sum()
    between = ((labels.probability >= review) & (labels.probability < remove)).sum()
    cases = between + 0.02 * (len(labels) - between)
    return float(missed * 1 + wrong * 5 + cases * 20 / 60 * 0.5)


@pytest.mark.whole
class TestPromise:
    def test_names_the_lowest_threshold_that_is_proved(self) -> None:
        labels = sample((0.7, False, 1.0, 300), (0.8, True, 1.0, 2_000), (0.97, True, 1.0, 500))

        found = simulation.keeps_promise(labels, precision=0.99)

        assert found == 0.725

    def test_proves_nothing_with_few_labels(self) -> None:
        assert simulation.keeps_promise(sample((0.99, True, 1.0, 100)), precision=0.99) is None

    def test_is_broken_in_at_most_five_of_100_worlds(self) -> None:
        broken = 0
        for seed in range(200):
            chances = np.random.default_rng(seed)
            probability = chances.random(1_500)
            # Removal is right in 90 % of cases everywhere: no threshold keeps 91 %.
            labels = Sample(
                probability=probability,
                is_spam=chances.random(1_500) < 0.9,
                chance=np.full(1_500, 0.1),
                is_forced=np.zeros(1_500, dtype=bool),
            )
            broken += simulation.keeps_promise(labels, precision=0.91) is not None
        assert broken <= 10
