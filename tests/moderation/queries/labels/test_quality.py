"""Rank measures against scikit-learn and by hand; the latest score of a post."""

from __future__ import annotations

import math

import numpy as np
import pytest

from moderation.models import Revision
from moderation.models.posts import ScoreState
from moderation.operations.scoring import score
from moderation.queries.labels import quality
from tests.moderation.conftest import Later, Post_
from tests.moderation.fakes import FakeScorer


class TestRankMeasures:
    @pytest.mark.parametrize("decimals", [1, 6], ids=["many ties", "no ties"])
    def test_agree_with_scikit_learn(self, decimals: int) -> None:
        metrics = pytest.importorskip("sklearn.metrics")
        chances = np.random.default_rng(5)
        truths = chances.random(400) < 0.3
        scores = np.round(chances.random(400) + 0.4 * truths, decimals).astype(np.float64)

        assert quality.roc_auc(truths=truths, probabilities=scores) == pytest.approx(
            metrics.roc_auc_score(truths, scores)
        )
        assert quality.average_precision(truths=truths, probabilities=scores) == pytest.approx(
            metrics.average_precision_score(truths, scores)
        )

    @pytest.mark.parametrize(
        ("truths", "scores", "auc"),
        [
            ([True, False], [0.9, 0.1], 1.0),
            ([True, False], [0.1, 0.9], 0.0),
            ([True, False], [0.5, 0.5], 0.5),
            ([True, False, False], [0.5, 0.4, 0.6], 0.5),
        ],
    )
    def test_roc_auc_by_hand(self, truths: list[bool], scores: list[float], auc: float) -> None:
        assert quality.roc_auc(truths=truths, probabilities=scores) == auc

    def test_are_unknown_without_both_classes(self) -> None:
        assert math.isnan(quality.roc_auc(truths=[True], probabilities=[0.5]))
        assert math.isnan(quality.average_precision(truths=[False], probabilities=[0.5]))


def test_latest_scores_takes_the_last_score_of_each_post(
    post: Post_, fake_scorer: FakeScorer, later: Later
) -> None:
    row = post(external_id="scored-twice")
    for probability, seconds in ((0.3, 1), (0.7, 60)):
        fake_scorer.default = probability
        revision = Revision.objects.get(post=row)
        revision.score_state = ScoreState.PENDING
        revision.generation += 1
        revision.save()
        score.run(revision_ids=[revision.pk], at=later(seconds))
    post(external_id="never-scored")

    found = list(quality.latest_scores(external_ids=["scored-twice", "never-scored", "unknown"]))

    assert [(one.external_id, one.spam_probability) for one in found] == [("scored-twice", 0.7)]
