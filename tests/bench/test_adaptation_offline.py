"""Which of a new platform's posts reach a moderator in the trial of how fast it gets better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from bench import adaptation_offline
from scoring.training.labelled_records import LabelledRecord
from scoring.trees import Floats
from tests.scoring.platform_posts import decisions


class Always:
    """A content model that gives every text one probability."""

    def __init__(self, probability: float) -> None:
        self._probability = probability

    def probabilities(self, texts: Sequence[str]) -> Floats:
        return np.full(len(texts), self._probability)


def decided(probability: float, *, wanted: int = 40) -> tuple[list[LabelledRecord], int]:
    waiting, found = decisions(400), list[LabelledRecord]()
    adaptation_offline._decide(
        waiting,
        found,
        wanted=wanted,
        head=None,
        content=Always(probability),
        generator=np.random.default_rng(1),
    )
    return found, len(waiting)


def test_what_is_uncertain_is_decided_as_it_arrives() -> None:
    found, left = decided(0.5)

    assert len(found) == 40
    assert left == 360
    assert {one.weight for one in found} == {1.0}


@pytest.mark.parametrize("probability", [0.01, 0.99])
def test_of_what_is_sure_a_fifth_is_decided_and_stands_for_five(probability: float) -> None:
    found, left = decided(probability)

    assert len(found) == 40
    assert 120 < 400 - left < 300
    assert {(one.weight, one.is_random) for one in found} == {(5.0, True)}


def test_stops_where_there_are_no_more_posts() -> None:
    found, left = decided(0.01, wanted=300)

    assert left == 0
    assert len(found) < 120
