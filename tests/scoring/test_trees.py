"""Tree arrays: the numpy evaluation against scikit-learn's own, and what may not be read."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from scoring import trees
from scoring.trees import Floats, Forest
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
            ("left", 0, "child"),
            ("right", 10_000, "child"),
            ("missing", -5, "child"),
            ("input", 99, "unknown input"),
            ("value", float("inf"), "finite"),
            ("cover", 0.0, "no training rows"),
            ("cover", float("nan"), "no training rows"),
        ],
    )
    def test_refuses_a_damaged_tree(self, forest: Forest, name: str, value: float, problem: str) -> None:
        stored = copy.deepcopy(trees.to_json(forest))
        stored["trees"][3][name][0] = value

        with pytest.raises(ValueError, match=problem):
            trees.from_json(stored)
