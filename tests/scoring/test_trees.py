"""Tree arrays against scikit-learn, contributions of trees against shap, and what may not be read."""

import copy
import json
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from scoring import trees
from scoring.ensemble import Ensemble
from scoring.tree_shap import TreeShap
from scoring.trees import Floats, Forest
from tests.libraries import later
from tests.scoring.forests import random_forest, staircase
from tests.scoring.starter import STARTER
from training.fit_forests import forest_of

INPUTS = ("a", "b", "c", "d", "e")


def random_rows(count: int, *, seed: int) -> Floats:
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(count, len(INPUTS)))
    rows[:, 1] = generator.integers(0, 3, size=count)
    rows[generator.random(rows.shape) < 0.3] = np.nan
    return rows


@pytest.fixture(scope="module")
def rows() -> Floats:
    return random_rows(800, seed=1)


@pytest.fixture(scope="module")
def model(rows: Floats) -> HistGradientBoostingClassifier:
    is_spam = np.nan_to_num(rows[:, 0], nan=1.0) * np.nan_to_num(rows[:, 1], nan=-1.0) > 0.3
    return HistGradientBoostingClassifier(max_iter=25, random_state=0).fit(rows, is_spam)


@pytest.fixture(scope="module")
def forest(model: HistGradientBoostingClassifier) -> Forest:
    return forest_of(model, inputs=INPUTS)


shap_trees = later("tests.scoring.shap_trees")


def rows_on_thresholds(forest: Forest, *, count: int, seed: int) -> Floats:
    """Return rows that often lie exactly on a threshold, are unknown, or infinite."""
    generator = np.random.default_rng(seed)
    rows = generator.integers(-6, 7, size=(count, len(forest.inputs))) / 4
    rows[generator.random(rows.shape) < 0.2] = np.nan
    rows[generator.random(rows.shape) < 0.05] = -np.inf
    rows[generator.random(rows.shape) < 0.05] = np.inf
    return rows


def assert_equals_shap(forest: Forest, rows: Floats) -> None:
    ours, peer = TreeShap(forest), shap_trees.ShapTrees(forest)

    assert ours.base == pytest.approx(peer.base, abs=1e-12)
    np.testing.assert_allclose(ours.shares(rows), peer.shares(rows), rtol=0, atol=1e-12)


def shapley(forest: Forest, row: Floats, reference: Floats) -> Floats:
    """Return Shapley values by their definition: what is not in a coalition is as in the reference."""
    places = range(len(forest.inputs))
    coalitions = [set(some) for size in range(len(places) + 1) for some in combinations(places, size)]
    mixed = np.array([[row[at] if at in some else reference[at] for at in places] for some in coalitions])
    values = {frozenset(some): value for some, value in zip(coalitions, forest.margins(mixed), strict=True)}
    shares = np.zeros(len(places))
    for some in coalitions:
        for at in set(places) - some:
            weight = factorial(len(some)) * factorial(len(places) - len(some) - 1) / factorial(len(places))
            shares[at] += weight * (values[frozenset(some | {at})] - values[frozenset(some)])
    return shares


class TestMargins:
    def test_equal_scikit_learns_with_missing_values(
        self, model: HistGradientBoostingClassifier, forest: Forest
    ) -> None:
        fresh = random_rows(2_000, seed=2)

        np.testing.assert_allclose(forest.margins(fresh), model.decision_function(fresh), rtol=0, atol=1e-12)

    def test_equal_scikit_learns_where_only_missing_matters(self) -> None:
        known = np.array([1.0] * 60 + [np.nan] * 60)[:, None]
        regressor = HistGradientBoostingRegressor(max_iter=5).fit(known, np.isnan(known[:, 0]).astype(float))
        fitted = forest_of(regressor, inputs=("a",))
        asked = np.array([[1.0], [np.nan], [-1e300], [1e300]])

        np.testing.assert_allclose(fitted.margins(asked), regressor.predict(asked), rtol=0, atol=1e-12)

    def test_a_row_does_not_depend_on_its_neighbours(self, rows: Floats, forest: Forest) -> None:
        together = forest.margins(rows)

        alone = np.concatenate([forest.margins(row[None, :]) for row in rows])

        np.testing.assert_array_equal(alone, together)

    def test_without_trees_is_the_base(self) -> None:
        assert Forest(inputs=("a",), base=0.25, trees=()).margins(np.zeros((3, 1))).tolist() == [0.25] * 3


class TestJson:
    def test_reads_back_bit_for_bit(self, rows: Floats, forest: Forest) -> None:
        stored = json.loads(json.dumps(trees.to_json(forest), allow_nan=False))

        np.testing.assert_array_equal(trees.from_json(stored).margins(rows), forest.margins(rows))

    @pytest.mark.parametrize(
        ("name", "value", "problem"),
        [
            ("left", 0, "child"), ("right", 10_000, "child"), ("missing", -5, "child"),
            ("input", 99, "unknown input"), ("value", float("inf"), "finite"),
            ("cover", 0.0, "no training rows"), ("cover", float("nan"), "no training rows"),
        ],
    )  # fmt: skip
    def test_refuses_a_damaged_tree(self, forest: Forest, name: str, value: float, problem: str) -> None:
        stored = copy.deepcopy(trees.to_json(forest))
        stored["trees"][3][name][0] = value

        with pytest.raises(ValueError, match=problem):
            trees.from_json(stored)


@pytest.mark.xdist_group("shap")
class TestAgainstAReference:
    @pytest.mark.parametrize("seed", range(6))
    def test_equals_shapleys_own_formula(self, seed: int) -> None:
        forest = random_forest(trees=4, n_inputs=5, splits=7, seed=seed)
        rows = rows_on_thresholds(forest, count=12, seed=seed)
        reference = rows_on_thresholds(forest, count=1, seed=100 + seed)[0]

        ours = TreeShap(forest, reference=reference)

        assert ours.base == pytest.approx(forest.margins(reference[None, :])[0])
        expected = np.stack([shapley(forest, row, reference) for row in rows])
        np.testing.assert_allclose(ours.shares(rows), expected, rtol=0, atol=1e-12)

    def test_an_input_that_equals_it_gets_nothing(self) -> None:
        forest = random_forest(trees=20, n_inputs=6, splits=9, seed=7)
        rows = rows_on_thresholds(forest, count=50, seed=7)
        reference = np.array([0.5, np.nan, 0.0, -1.0, np.inf, np.nan])
        rows[:, [1, 3]] = reference[[1, 3]]

        shares = TreeShap(forest, reference=reference).shares(rows)

        assert shares[:, [0, 2, 4, 5]].any(axis=0).all()
        assert not shares[:, [1, 3]].any()


@pytest.mark.xdist_group("shap")
class TestTreeShap:
    @pytest.mark.parametrize("seed", range(12))
    def test_equals_shap_on_trees_by_chance(self, seed: int) -> None:
        forest = random_forest(trees=6, n_inputs=1 + seed, splits=2 + seed, seed=seed)

        assert_equals_shap(forest, rows_on_thresholds(forest, count=80, seed=seed))

    @pytest.mark.parametrize("steps", [1, 2, 7, 8])
    def test_equals_shap_on_a_path_of_many_inputs(self, steps: int) -> None:
        forest = staircase(steps, inputs=tuple("abcdefgh"))

        assert_equals_shap(forest, rows_on_thresholds(forest, count=300, seed=steps))

    @pytest.mark.parametrize("name", ["ip_url", "behaviour", "feedback", "main"])
    def test_equals_shap_on_the_shipped_forests(self, name: str) -> None:
        ensemble = Ensemble.load(STARTER)
        forest = ensemble.main if name == "main" else ensemble.sub_models[name]

        assert_equals_shap(forest, 10 * rows_on_thresholds(forest, count=200, seed=1))

    def test_adds_up_to_the_margin(self) -> None:
        forest = random_forest(trees=20, n_inputs=9, splits=9, seed=3)
        rows, ours = rows_on_thresholds(forest, count=100, seed=3), TreeShap(forest)

        np.testing.assert_allclose(
            ours.base + ours.shares(rows).sum(axis=1), forest.margins(rows), atol=1e-12
        )

    def test_a_row_does_not_depend_on_its_neighbours(self) -> None:
        forest = random_forest(trees=20, n_inputs=9, splits=9, seed=4)
        rows, ours = rows_on_thresholds(forest, count=100, seed=4), TreeShap(forest)

        alone = np.concatenate([ours.shares(row[None, :]) for row in rows])

        np.testing.assert_array_equal(alone, ours.shares(rows))

    @pytest.mark.parametrize("splits", [None, 0], ids=["no trees", "a leaf alone"])
    def test_without_splits_all_is_base(self, splits: int | None) -> None:
        forest = random_forest(trees=0 if splits is None else 3, n_inputs=2, splits=0, seed=5)

        ours = TreeShap(forest)

        assert ours.base == pytest.approx(forest.margins(np.zeros((1, 2)))[0])
        assert ours.shares(np.zeros((4, 2))).tolist() == [[0.0, 0.0]] * 4

    def test_of_no_rows_is_nothing(self) -> None:
        assert TreeShap(staircase(3, inputs=tuple("abc"))).shares(np.zeros((0, 3))).shape == (0, 3)

    def test_refuses_a_path_of_too_many_inputs(self) -> None:
        with pytest.raises(ValueError, match="reads 9 inputs"):
            TreeShap(staircase(9, inputs=tuple("abcdefghi")))
