"""The simulated moderator errs, and more often where the case is hard."""

from __future__ import annotations

import random
from statistics import mean

import pytest

from simulation import moderator
from simulation.events import Truth


@pytest.mark.parametrize(("is_hard", "lowest", "highest"), [(True, 0.05, 0.1), (False, 0.01, 0.02)])
def test_errs_more_often_on_hard_posts(is_hard: bool, lowest: float, highest: float) -> None:
    rng = random.Random(1)
    truth = Truth(is_spam=True, kind="task_jobs", language="en", is_hard=is_hard)

    verdicts = [verdict for _ in range(20_000) if (verdict := moderator.verdict(truth, rng=rng))]

    assert lowest < mean(not verdict.is_spam for verdict in verdicts) < highest


def test_looks_at_few_posts() -> None:
    rng = random.Random(1)
    talk = Truth(is_spam=False, kind="pet_adoption", language="en")

    assert mean(moderator.verdict(talk, rng=rng) is None for _ in range(5000)) > 0.9
