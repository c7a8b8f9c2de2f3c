"""What is scored while the content model does not answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scoring.pipeline import Scorer
from scoring.release import Release
from scoring.routing import ReviewReason, Route
from scoring.trees import Floats
from tests.scoring.random_records import Down, Said, labelled, record
from tests.scoring.ruled_posts import BANNED, BANS, NO_BANS


class TestDegraded:
    def test_goes_to_a_human_with_what_the_rest_says(self, release: Release) -> None:
        scorer = Scorer(release=release, content=Down())

        scores = scorer.score_many([one.record for one in labelled(60)], blocklist=NO_BANS)

        assert all(score.is_degraded for score in scores)
        assert {score.routing.reason for score in scores} == {ReviewReason.DEGRADED}
        assert {score.content_probability for score in scores} == {None}
        assert all(0.0 <= score.spam_probability <= 1.0 for score in scores)

    def test_a_banned_post_is_still_removed(self, release: Release) -> None:
        score = Scorer(release=release, content=Down()).score(BANNED, blocklist=BANS)

        assert score.routing.route is Route.REMOVE
        assert not score.is_degraded

    def test_a_fault_of_another_kind_is_not_hidden(self, release: Release) -> None:
        class Faulty(Said):
            def probabilities(self, texts: Sequence[str]) -> Floats:
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            Scorer(release=release, content=Faulty()).score(record(), blocklist=NO_BANS)
