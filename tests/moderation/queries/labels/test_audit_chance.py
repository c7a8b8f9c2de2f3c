"""The audit sample's chance by score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation.queries.labels import audit_chance
from moderation.queries.labels.audit_chance import Chance

SHARES = st.floats(min_value=1e-7, max_value=1.0)
PROBABILITIES = st.floats(min_value=0.0, max_value=1.0)


@given(share=SHARES, spam_probability=PROBABILITIES, mean_doubt=st.floats(min_value=1e-6, max_value=0.5))
def test_leaves_no_post_without_a_chance_and_the_uniform_part_within(
    share: float, spam_probability: float, mean_doubt: float
) -> None:
    chance = audit_chance.of(share=share, spam_probability=spam_probability, mean_doubt=mean_doubt)

    assert 0.0 < chance.uniform <= chance.total <= 1.0
    assert chance.uniform >= 0.29 * share
    assert (chance.total == 1.0) == (share == 1.0)


@pytest.mark.parametrize("mean_doubt", [None, 0.0])
def test_is_uniform_while_the_scores_say_nothing(mean_doubt: float | None) -> None:
    chance = audit_chance.of(share=0.2, spam_probability=0.4, mean_doubt=mean_doubt)

    assert chance == Chance(total=0.2, uniform=0.2)


def test_draws_thirty_per_cent_uniformly_and_the_rest_by_doubt() -> None:
    share, mean_doubt = 0.001, audit_chance.doubt(0.01)

    sure, usual, unsure = (
        audit_chance.of(share=share, spam_probability=one, mean_doubt=mean_doubt).total / share
        for one in (0.0, 0.01, 0.5)
    )

    assert (sure, usual, unsure) == pytest.approx((0.3, 1.0, 0.3 + 0.7 * 0.5 / mean_doubt), rel=0.01)
