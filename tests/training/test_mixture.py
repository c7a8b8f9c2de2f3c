"""Decisions outweigh what was simulated, and no single one decides."""

from __future__ import annotations

import dataclasses

import pytest

from tests.scoring.random_records import decided, labelled
from training.labelled_lines import Origin
from training.labelled_records import LabelledRecord
from training.mixture import PRIOR_WEIGHT, fitted_on, mixed

SIMULATED = labelled(2_000)


def total(records: list[LabelledRecord], *, origin: Origin) -> float:
    return sum(one.weight for one in records if one.origin is origin)


class TestMixed:
    @pytest.mark.parametrize("count", [50, 500, 1_500])
    def test_simulated_records_are_a_prior_of_stated_weight(self, count: int) -> None:
        found = mixed([*SIMULATED, *decided(count)])

        share = total(found, origin=Origin.DECIDED) / total(found, origin=Origin.SIMULATED)
        assert share == pytest.approx(count / PRIOR_WEIGHT)

    def test_a_heavy_label_counts_at_most_as_ten(self) -> None:
        first, *rest = decided(100)

        found = mixed([dataclasses.replace(first, weight=50.0), *rest])

        assert found[0].weight / found[1].weight == pytest.approx(10.0)

    def test_leaves_simulated_records_alone(self) -> None:
        assert mixed(SIMULATED) == SIMULATED


def test_fitted_on_counts_by_platform() -> None:
    random = [dataclasses.replace(one, is_random=True) for one in decided(10)]

    said = fitted_on([*SIMULATED, *random])

    assert said["simulated"] == len(SIMULATED)
    assert said["decided"] == {
        "tests": {"posts": 10, "spam": sum(one.is_spam for one in random), "random": 10}
    }
