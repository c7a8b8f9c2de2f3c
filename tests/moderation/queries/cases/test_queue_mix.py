"""The chance of the draw among the review route."""

from __future__ import annotations

import pytest

from moderation.queries.cases import queue_mix
from moderation.queries.cases.queue_mix import Load


class TestChance:
    def test_is_what_the_lane_gets_through(self) -> None:
        load = Load(decisions=1_000, review_posts=2_000, audit_cases=60, waiting=140)

        assert queue_mix.chance_of(share=0.2, load=load) == pytest.approx((0.8 * 200 - 60 - 20) / 2_000)

    @pytest.mark.parametrize(
        ("share", "load", "chance"),
        [
            (0.2, Load(decisions=0, review_posts=0, audit_cases=0, waiting=0), 0.2),
            (1.0, Load(decisions=9_000, review_posts=10, audit_cases=0, waiting=0), queue_mix.MOST_CHANCE),
            (0.1, Load(decisions=100, review_posts=9_000, audit_cases=99, waiting=9), queue_mix.LEAST_CHANCE),
        ],
    )
    def test_is_never_nothing_and_never_all(self, share: float, load: Load, chance: float) -> None:
        assert queue_mix.chance_of(share=share, load=load) == chance
