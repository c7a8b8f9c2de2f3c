"""Candidates in shadow in simulated weeks: a small version of what `bench shadow` counts."""

from __future__ import annotations

import numpy as np
import pytest

from lab import shadow
from lab._shadow_worlds import Damage

DAMAGES = [one for one in Damage if one is not Damage.NONE]


@pytest.mark.whole
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_candidate_that_is_worse_on_a_fiftieth_of_posts_is_named_and_refused(damage: Damage) -> None:
    ended = shadow.simulated(damage, posts=30_000, draw=300, dice=np.random.default_rng(3))

    assert ended.refused_on
    assert ended.is_named


def test_a_candidate_that_is_as_good_is_not_refused() -> None:
    ended = shadow.simulated(Damage.NONE, posts=30_000, draw=300, dice=np.random.default_rng(3))

    assert not ended.refused_on
