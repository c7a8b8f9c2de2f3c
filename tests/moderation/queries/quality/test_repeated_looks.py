"""How far an estimate may stray when it is looked at several times."""

from __future__ import annotations

import math

import numpy as np
import pytest

from moderation.queries.quality import repeated_looks
from moderation.queries.quality.removal import Trials


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


class TestInterval:
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
