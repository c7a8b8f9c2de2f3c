"""How far an estimate may stray when it is looked at several times."""

from __future__ import annotations

import math

import pytest

from moderation.queries.quality import repeated_looks


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
def test_is_that_of_pococks_table(alpha: float, looks: int, constant: float) -> None:
    assert math.sqrt(2 * repeated_looks.bound(alpha=alpha, looks=looks)) == pytest.approx(constant, abs=0.002)


@pytest.mark.parametrize(
    ("alpha", "looks", "named"), [(0.0, 7, "alpha"), (1.0, 7, "alpha"), (0.05, 0, "looks")]
)
def test_refuses_what_is_no_risk(alpha: float, looks: int, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        repeated_looks.bound(alpha=alpha, looks=looks)
