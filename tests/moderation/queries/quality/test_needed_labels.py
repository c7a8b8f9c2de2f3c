"""The plan of labels. Promise: so many labels drawn so give the error that was asked for."""

from __future__ import annotations

import numpy as np
import pytest

from moderation.queries.labels import audit_chance
from moderation.queries.quality import needed_labels

SCORES = np.random.default_rng(1).beta(0.15, 12.35, 5_000)


def test_uniform_labels_are_those_of_the_textbook() -> None:
    share = float(SCORES.mean())

    needed = needed_labels.of(scores=list(SCORES), share=share, within=0.2)

    assert needed.uniform == pytest.approx((1 - share) / (share * 0.2**2), rel=0.01)
    assert needed.interval_uniform == pytest.approx(needed.uniform * 2.485**2, rel=0.01)


def test_so_many_labels_drawn_by_score_give_the_error() -> None:
    dice = np.random.default_rng(2)
    posts = 50_000
    share = float(SCORES.mean())
    needed = needed_labels.of(scores=list(SCORES), share=share, within=0.2)
    assert needed.by_score < needed.uniform / 2
    found = []
    for _ in range(200):
        scores = dice.choice(SCORES, posts)
        doubts = np.sqrt(scores * (1 - scores))
        relative = audit_chance.UNIFORM + (1 - audit_chance.UNIFORM) * doubts / doubts.mean()
        chances = np.minimum(1.0, needed.by_score / posts * relative)
        is_spam, is_drawn = dice.random(posts) < scores, dice.random(posts) < chances
        worth = is_drawn / chances
        found.append((is_spam @ worth) / worth.sum())

    assert np.std(found) / share == pytest.approx(0.2, rel=0.15)


@pytest.mark.parametrize(("share", "within", "named"), [(0.0, 0.2, "share"), (0.1, 1.0, "within")])
def test_refuses_what_is_no_share(share: float, within: float, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        needed_labels.of(scores=[0.1] * 100, share=share, within=within)
